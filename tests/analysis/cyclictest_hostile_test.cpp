// SPDX-License-Identifier: GPL-2.0-or-later

// Files that are cut off, absurd, contradict themselves, or were mangled on their way.

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/analysis/cyclictest_files.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::golden;
using testing::IsOkAnd;
using ::testing::Pair;
using ::testing::SizeIs;
using testing::text_of;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << "the golden file has no \"" << what << '"';
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

Result<std::vector<CyclictestRun>> parse(const std::string& text) {
  return parse_cyclictest(text, "in.txt");
}

const char kHistogram[] =
    "# Histogram\n"
    "000003 000002\t000001\n"
    "000004 000000\t000001\n"
    "# Min Latencies: 00003 00003\n"
    "# Avg Latencies: 00003 00003\n"
    "# Max Latencies: 00003 00004\n"
    "# Histogram Overflows: 00000 00000\n";

TEST(CutOffJson, IsRefusedWhereverItEnds) {
  const std::string text = text_of(golden("2.4-two-threads.json"));
  const size_t last = text.find_last_of('}');

  for (size_t length = 1; length < last; length += 7) {
    EXPECT_THAT(parse(text.substr(0, length)), FailsWith(Errc::kBadData, "in.txt:")) << length;
  }
}

TEST(CutOffHistogram, IsRefusedWhereverItEndsWithinALineOrBeforeItsOverflows) {
  const std::string text = text_of(golden("2.4-two-threads.txt"));
  const size_t last = text.find("# Thread 1:");

  for (size_t length = text.find("# Histogram") + 12; length < last; length += 1) {
    const std::string cut = text.substr(0, length);
    if (cut.ends_with('\n') && cut.find("Overflows:") != std::string::npos) continue;
    EXPECT_THAT(parse(cut), FailsWith(Errc::kBadData, "in.txt:")) << length;
  }
}

// A mail that quotes it may well leave the lists out; all values are there.
TEST(CutOffHistogram, IsTakenWithoutTheListsOfOverflows) {
  const std::string text = text_of(golden("2.4-two-threads.txt"));

  EXPECT_THAT(parse(text.substr(0, text.find("# Histogram Overflow at"))), IsOkAnd(SizeIs(1)));
}

TEST(CutOffHistogram, NamesTheLineAndWhatIsMissing) {
  EXPECT_THAT(parse("# Histogram\n000003 000002\n# Min Latencies: 00003\n"),
              FailsWith(Errc::kBadData, "in.txt:3: the histogram is cut off: no \"# Avg"));
}

TEST(CutOffHistogram, WithoutItsBeginningIsRefused) {
  EXPECT_THAT(parse("000003 000002\n# Min Latencies: 00003\n"),
              FailsWith(Errc::kBadData, "in.txt:1: rows of a histogram without"));
}

TEST(CutOffSummary, IsRefusedInTheMiddleOfALine) {
  const std::string line =
      "T: 0 ( 9615) P:90 I:1000 C:   8715 Min:      1 Act:    1 Avg:    2 Max:";

  EXPECT_THAT(parse(line + "\n"), FailsWith(Errc::kBadData, "in.txt:1: the summary line is cut"));
  EXPECT_THAT(parse(line + "      1"), FailsWith(Errc::kBadData, "the summary line is cut off"));
  EXPECT_THAT(parse(line + "      14"), IsOkAnd(SizeIs(1)));
}

TEST(CutOffSummary, WithoutItsFirstThreadIsRefused) {
  EXPECT_THAT(
      parse("T: 1 ( 1450) P:80 I:200 C: 800301 Min:      0 Act:   12 Avg:   23 Max:      70\n"),
      FailsWith(Errc::kBadData, "thread 0 of the run that begins here is missing"));
}

TEST(CutOffVerbose, IsRefusedInTheMiddleOfASample) {
  EXPECT_THAT(parse("       0:       0:      67\n       0:       1:      6"),
              FailsWith(Errc::kBadData, "in.txt:2: the line of a sample is cut off"));
}

TEST(CyclictestParser, RefusesWhatHoldsNoCyclictestOutput) {
  EXPECT_THAT(parse(""), FailsWith(Errc::kBadData, "in.txt:1: the file is empty"));
  EXPECT_THAT(parse("hello\nworld\n"), FailsWith(Errc::kBadData, "no output of cyclictest"));
  EXPECT_THAT(parse("{\"a\": 1}"), FailsWith(Errc::kBadData, "not the JSON of cyclictest"));
  EXPECT_THAT(parse("FATAL: Unable to open /dev/cpu/0/msr\n"),
              FailsWith(Errc::kBadData, "cyclictest measured nothing: FATAL: Unable to open"));
}

TEST(CyclictestParser, DoesNotTakeProseForARun) {
  EXPECT_THAT(parse("cyclictest shows 12:34:56 and T: nothing\nT:P:I:C:\n"),
              FailsWith(Errc::kBadData, "no output of cyclictest"));
}

TEST(JsonReader, TakesUnescapedQuotesInTheCommandLine) {
  const std::string text = replaced(text_of(golden("2.4-two-threads.json")), "cyclictest -q",
                                    "cyclictest --histfile=\"a\\b\".txt -q");

  const auto runs = parse(text);

  ASSERT_THAT(runs, IsOkAnd(SizeIs(1)));
  EXPECT_TRUE((*runs)[0].cmdline.starts_with("cyclictest --histfile=\"a\\b\".txt -q"));
}

struct Edit {
  std::string what, by, complaint;
};

void PrintTo(const Edit& edit, std::ostream* os) { *os << edit.complaint; }

class EditedJson : public ::testing::TestWithParam<Edit> {};

TEST_P(EditedJson, IsRefused) {
  const auto& [what, by, complaint] = GetParam();

  EXPECT_THAT(parse(replaced(text_of(golden("2.4-two-threads.json")), what, by)),
              FailsWith(Errc::kBadData, complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Cyclictest, EditedJson,
    ::testing::Values(
        Edit{"\"num_threads\": 2", "\"num_threads\": 3", "announces 3 threads and has 2"},
        Edit{"\"file_version\": 1", "\"file_version\": 2", "a newer rt-tests wrote it"},
        Edit{"\"cycles\": 400", "\"cycles\": 4", "more samples than it has cycles"},
        Edit{"\"cycles\": 400", "\"cycles\": -1", "thread 0: \"cycles\" is absurd"},
        Edit{"\"cycles\": 400", "\"cycles\": 1e300", "\"cycles\" is not a whole number"},
        Edit{"\"cycles\": 400", "\"cycles\": 18446744073709551615", "not a whole number"},
        Edit{"\"cycles\": 400,", "", "thread 0: \"cycles\" is missing"},
        Edit{"\"cpu\": 0", "\"cpu\": 9999999999", "\"cpu\" is absurd"},
        Edit{"\"histogram\": {", "\"histogram\": { \"999999999999\": 1,", "absurd bucket"},
        Edit{"\"histogram\": {", "\"histogram\": { \"-5\": 1,", "absurd bucket"},
        Edit{"\"histogram\": {", "\"histogram\": { \"1\": -1,", "bucket 1 has no sane count"},
        Edit{"\"min\": ", "\"min\": 9", "contradicts itself"},
        Edit{"\"1\": {\n      \"histogram\"", "\"7\": {\n      \"histogram\"",
             "thread 1 is missing"}));

TEST(JsonReader, FindsTheJsonAmongWhatIsPrintedAnyway) {
  const std::string json = text_of(golden("2.4-two-threads.json"));

  const auto runs = parse("# /dev/cpu_dma_latency set to 0us\n" + json + "\nT: nothing\n");

  ASSERT_THAT(runs, IsOkAnd(SizeIs(1)));
  EXPECT_EQ((*runs)[0].threads[0].cycles, 400u);
}

TEST(JsonReader, KeepsSeveralOfOneFileApartAndNamesTheLinesOfEach) {
  const std::string json = text_of(golden("2.4-two-threads.json"));
  const auto lines = static_cast<int>(std::count(json.begin(), json.end(), '\n'));

  EXPECT_THAT(parse(json + "\n" + json), IsOkAnd(SizeIs(2)));
  EXPECT_THAT(parse(json + "\n" + json.substr(0, json.size() / 2)),
              FailsWith(Errc::kBadData, "the JSON is cut off here"));
  const auto broken =
      parse(json + "\n" + replaced(json, "\"file_version\": 1", "\"file_version\": !"));
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message(),
              ::testing::StartsWith("in.txt:" + std::to_string(lines + 3) + ":"));
}

TEST(JsonReader, RefusesTheJsonOfAnotherTool) {
  EXPECT_THAT(parse(R"({"thread": {"0": {"cpu": 1, "freq": 2000, "histogram": {}}}})"),
              FailsWith(Errc::kBadData, "thread 0: \"cycles\" is missing"));
}

TEST(JsonReader, SurvivesAbsurdNesting) {
  EXPECT_THAT(parse("{\"thread\":" + std::string(100'000, '[')),
              FailsWith(Errc::kBadData, "in.txt:1:"));
}

class EditedHistogram : public ::testing::TestWithParam<Edit> {};

TEST_P(EditedHistogram, IsRefused) {
  const auto& [what, by, complaint] = GetParam();

  EXPECT_THAT(parse(replaced(kHistogram, what, by)), FailsWith(Errc::kBadData, complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Cyclictest, EditedHistogram,
    ::testing::Values(
        Edit{"000004 000000", "000003 000000", "in.txt:3: the latencies of the rows do not ascend"},
        Edit{"000004 000000", "4000000000 000000", "in.txt:3: the latencies of the rows"},
        Edit{"\t000001\n000004", "\n000004", "in.txt:2: 2 columns instead of 3"},
        Edit{"000003 000002", "000003 99999999999999999999", "in.txt:2: an absurd count"},
        Edit{"000003 000002", "[  12.3] hello", "in.txt:2: this is not a row of a histogram"},
        Edit{"Max Latencies: 00003 00004", "Max Latencies: 00003 00009",
             "its maximum is not in its histogram"},
        Edit{"Avg Latencies: 00003", "Avg Latencies: 00030", "above its maximum"},
        Edit{"Min Latencies: 00003", "Min Latencies: 00009", "minimum is above its maximum"},
        Edit{"# Min Latencies: 00003 00003",
             "# Total: 000000009 000000002\n# Min Latencies: 00003 00003", "rows are missing"},
        Edit{"Overflows: 00000 00000", "Overflows: 00000", "1 values for 2 threads: cut off?"}));

TEST(HistogramReader, ChecksTheSumsOfHistofall) {
  const std::string text = text_of(golden("2.10-histofall.txt"));
  const size_t overflows = text.find("# Histogram Overflows:");
  const size_t end = text.find('\n', overflows);

  const auto runs = parse(text.substr(0, end) + "9" + text.substr(end));

  EXPECT_THAT(runs, FailsWith(Errc::kBadData, "the last value is not the sum of the others"));
}

TEST(HistogramReader, TakesAWholeOne) {
  const auto runs = parse(kHistogram);

  ASSERT_THAT(runs, IsOkAnd(SizeIs(1)));
  EXPECT_THAT((*runs)[0].threads[1].histogram, ElementsAre(Pair(3, 1u), Pair(4, 1u)));
}

TEST(HistogramReader, JoinsWhatAMailProgramBroke) {
  const auto runs = parse(
      "> # Histogram\n"
      "> 000003 000002\n"
      "> 000001\n"
      "> 000004 000000\n"
      "> 000001\n"
      "> # Min Latencies: 00003 00003\n"
      "> # Avg Latencies: 00003 00003\n"
      "> # Max Latencies: 00003\n"
      "> 00004\n"
      "> # Histogram Overflows: 00000 00000\n");

  ASSERT_THAT(runs, IsOkAnd(SizeIs(1)));
  EXPECT_EQ((*runs)[0].threads[1].max, 4);
  EXPECT_THAT((*runs)[0].threads[1].histogram, ElementsAre(Pair(3, 1u), Pair(4, 1u)));
}

TEST(HistogramReader, ReadsNegativeLatenciesThatWerePrintedUnsigned) {
  // -172 as unsigned long: 2^64 - 172, and 2^32 - 172 on a 32-bit machine.
  for (const std::string minus : {"18446744073709551444", "4294967124"}) {
    const auto runs = parse("# Histogram\n000003 000002\n# Min Latencies: " + minus +
                            "\n# Avg Latencies: 00001\n# Max Latencies: 00003\n"
                            "# Histogram Overflows: 00001\n");

    ASSERT_THAT(runs, IsOkAnd(SizeIs(1)));
    EXPECT_EQ((*runs)[0].threads[0].min, -172);
  }
}

TEST(HistogramReader, KeepsTwoOfOneFileApart) {
  const auto runs = parse(std::string(kHistogram) + "\n" + kHistogram);

  ASSERT_THAT(runs, IsOkAnd(SizeIs(2)));
  EXPECT_EQ((*runs)[1].source, "in.txt:9");
}

TEST(HistogramReader, TakesTidAndPriorityFromTheSummaryBeforeIt) {
  const auto runs = parse(
      "T: 0 ( 1449) P:80 I:200 C:      2 Min:      3 Act:    3 Avg:    3 Max:       3\n"
      "T: 1 ( 1450) P:80 I:200 C:      2 Min:      3 Act:    3 Avg:    3 Max:       4\n" +
      std::string(kHistogram));

  ASSERT_THAT(runs, IsOkAnd(SizeIs(1)));
  EXPECT_EQ((*runs)[0].format, CyclictestFormat::kHistogram);
  EXPECT_EQ((*runs)[0].threads[1].tid, 1450);
  EXPECT_EQ((*runs)[0].threads[1].cycles, 2u);
}

TEST(SummaryReader, KeepsTwoRunsApartByTheirTids) {
  const auto runs = parse(
      "T: 0 ( 1449) P:80 I:200 C: 800368 Min:      0 Act:   32 Avg:   22 Max:     128\n"
      "T: 0 ( 1711) P:80 I:200 C: 900000 Min:      0 Act:    6 Avg:   22 Max:     108\n");

  EXPECT_THAT(runs, IsOkAnd(SizeIs(2)));
}

TEST(SummaryReader, ReadsNegativeAndAbsurdLatenciesAsTheyArePrinted) {
  const auto runs =
      parse("T: 0 ( 1449) P:80 I:200 C:    100 Min:   -172 Act:   32 Avg:   22 Max:269990977\n");

  ASSERT_THAT(runs, IsOkAnd(SizeIs(1)));
  EXPECT_EQ((*runs)[0].threads[0].min, -172);
  EXPECT_EQ((*runs)[0].threads[0].max, 269'990'977);
}

TEST(SummaryReader, IsNotDisturbedByALoggersPrefixNorByCarriageReturns) {
  const auto runs = parse(
      "Nov 30 18:00:00 board cyclictest[12]: T: 0 ( 1449) P:80 I:200 C:    100 Min:      1 Act:   "
      "32 Avg:   22 Max:     128 SMI:       2\r\n");

  ASSERT_THAT(runs, IsOkAnd(SizeIs(1)));
  EXPECT_EQ((*runs)[0].threads[0].max, 128);
  EXPECT_EQ((*runs)[0].threads[0].smis, 2u);
}

TEST(SummaryReader, RefusesAbsurdNumbers) {
  EXPECT_THAT(parse("T: 0 ( 1449) P:80 I:200 C: 1 Min: -9223372036854775808 Act: 1 Avg: 1 Max: "
                    "       1\n"),
              FailsWith(Errc::kBadData, "its latencies are absurd"));
  EXPECT_THAT(parse("T: 0 ( 1449) P:80 I:200 C: 99999999999999999999 Min: 0\n"),
              FailsWith(Errc::kBadData, "in.txt:1: a summary line with no sane numbers"));
  EXPECT_THAT(parse("T:999999 ( 1449) P:80 I:200 C: 1 Min: 1 Act: 1 Avg: 1 Max: 1\n"),
              FailsWith(Errc::kBadData, "a summary line with no sane numbers"));
}

TEST(VerboseReader, TakesTheGluedSmiCountOff) {
  const auto runs =
      parse("       0:       0:      67       1\n       0:       1:12345678       2\n");

  ASSERT_THAT(runs, IsOkAnd(SizeIs(1)));
  EXPECT_EQ((*runs)[0].threads[0].max, 12'345'678);
  EXPECT_EQ((*runs)[0].threads[0].min, 67);
}

TEST(LavaReader, ReadsSignalsAndResultLinesToo) {
  const auto signals = parse(
      "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=t0-max-latency RESULT=pass UNITS=us MEASUREMENT=34>\n");
  const auto lines = parse(
      "t0-min-latency pass 3 us\nt0-avg-latency pass 4.5 us\n"
      "t0-max-latency fail 269990977 us\n");

  ASSERT_THAT(signals, IsOkAnd(SizeIs(1)));
  EXPECT_EQ((*signals)[0].threads[0].max, 34);
  ASSERT_THAT(lines, IsOkAnd(SizeIs(1)));
  EXPECT_EQ((*lines)[0].threads[0].avg, 4.5);
  EXPECT_EQ((*lines)[0].threads[0].max, 269'990'977);
}

TEST(LavaReader, RefusesACaseWithoutItsMeasurement) {
  EXPECT_THAT(parse("Test Case t0-max-latency: Test skipped\nTest Case other: Test passed\n"),
              FailsWith(Errc::kBadData, "in.txt:1: t0-max-latency has no measurement in us"));
}

TEST(CsvReader, RefusesARowThatIsCutOff) {
  EXPECT_THAT(parse("time,core1,core2\n000000,000000,000001\n000001,0000\n"),
              FailsWith(Errc::kBadData, "in.txt:3: 2 columns instead of 3"));
  EXPECT_THAT(parse("time,core1,core2\n"), FailsWith(Errc::kBadData, "it has no rows"));
}

TEST(CpuResults, KeepOneLimitForAllThreads) {
  // Thread 0 ends at 3 us and thread 1 at 4 us: a limit of each its own would turn the
  // sample at 4 us into an overflow.
  const auto whole = parse(kHistogram);
  ASSERT_THAT(whole, IsOkAnd(SizeIs(1)));
  const TrialResult trial{.cpus = cpu_results((*whole)[0])};
  EXPECT_EQ(trial.merged().overflows(), 0u);
  EXPECT_EQ(trial.merged().quantile(1'000'000)->count(), 4);
}

TEST(CpuResults, OfASummaryKnowNoQuantile) {
  const auto runs =
      parse("T: 0 ( 1449) P:80 I:200 C:    100 Min:      1 Act:   32 Avg:   22 Max:     128\n");

  ASSERT_THAT(runs, IsOkAnd(SizeIs(1)));
  const CpuResult cpu = cpu_results((*runs)[0]).at(0);
  EXPECT_EQ(cpu.histogram.samples(), 100u);
  EXPECT_EQ(cpu.histogram.quantile(1), std::nullopt);
}

}  // namespace
}  // namespace rtsweep
