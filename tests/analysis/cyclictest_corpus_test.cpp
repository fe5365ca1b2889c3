// SPDX-License-Identifier: GPL-2.0-or-later

// Real outputs of others, with the values that an independent script and the tools' own
// footers gave (expected.json, meta.md of each case).

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/analysis/cyclictest_files.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::runs_in;
using testing::text_of;

std::filesystem::path corpus(const std::string& file) {
  return std::filesystem::path(RTSWEEP_CORPUS_DIR) / file;
}

#define SKIP_WITHOUT(file)                                                  \
  if (!std::filesystem::exists(file)) {                                     \
    GTEST_SKIP() << "needs the corpus of real inputs: " << (file).string(); \
  }

struct HistogramCase {
  std::string folder;
  std::string file;
  size_t threads = 0;
};

void PrintTo(const HistogramCase& histogram, std::ostream* os) { *os << histogram.folder; }

class HistogramCorpus : public ::testing::TestWithParam<HistogramCase> {};

// In expected.json the last column of a -H file is that of all threads.
TEST_P(HistogramCorpus, GivesTheValuesOfTheIndependentScript) {
  const auto folder = corpus(GetParam().folder);
  SKIP_WITHOUT(folder);
  const auto expected = nlohmann::json::parse(text_of(folder / "expected.json"));

  const auto runs = runs_in(folder / GetParam().file);

  ASSERT_EQ(runs.size(), 1u);
  const CyclictestRun& run = runs.front();
  EXPECT_EQ(run.format, CyclictestFormat::kHistogram);
  EXPECT_EQ(run.histogram_limit, expected["bins"].get<int64_t>());
  ASSERT_EQ(run.threads.size(), GetParam().threads);
  const auto& footer = expected["footer"];
  const auto cpus = cpu_results(run);
  for (size_t i = 0; i < run.threads.size(); ++i) {
    const CyclictestThread& thread = run.threads[i];
    EXPECT_EQ(thread.min, footer["Min Latencies"][i].get<int64_t>());
    EXPECT_EQ(thread.max, footer["Max Latencies"][i].get<int64_t>());
    EXPECT_EQ(thread.avg, footer["Avg Latencies"][i].get<double>());
    EXPECT_EQ(thread.overflows, footer["Histogram Overflows"][i].get<uint64_t>());
    EXPECT_EQ(thread.cycles, expected["column_sums"][i].get<uint64_t>());
    EXPECT_EQ(cpus[i].histogram.highest()->count(),
              expected["highest_nonzero_bin"][i].get<int64_t>());
    const auto& quantiles = expected["percentiles_binned_only"][i];
    EXPECT_EQ(cpus[i].histogram.quantile(500'000)->count(), quantiles["0.5"].get<int64_t>());
    EXPECT_EQ(cpus[i].histogram.quantile(999'990)->count(), quantiles["0.99999"].get<int64_t>());
  }
}

TEST_P(HistogramCorpus, MergesToTheColumnOfAllThreads) {
  const auto folder = corpus(GetParam().folder);
  SKIP_WITHOUT(folder);
  const auto expected = nlohmann::json::parse(text_of(folder / "expected.json"));

  const auto runs = runs_in(folder / GetParam().file);

  ASSERT_EQ(runs.size(), 1u);
  const TrialResult trial{.cpus = cpu_results(runs.front())};
  EXPECT_EQ(trial.merged().samples(), expected["column_sums"].back().get<uint64_t>());
  EXPECT_EQ(trial.max_us(), expected["footer"]["Max Latencies"].back().get<int64_t>());
  EXPECT_EQ(trial.merged().quantile(999'900)->count(),
            expected["percentiles_binned_only"].back()["0.9999"].get<int64_t>());
}

INSTANTIATE_TEST_SUITE_P(
    A, HistogramCorpus,
    ::testing::Values(
        HistogramCase{"A01-pi4-6.8.4-rt11-histofall", "24.04_6.8.4-rt11-raspi_rpi4.log", 4},
        HistogramCase{"A03-pi3b-6.8.4-rt11-histofall", "24.04_6.8.4-rt11-raspi_rpi3b.log", 4},
        HistogramCase{"A04-pi4-5.4.195-rt74-histofall", "20.04_5.4.195-rt74-raspi.log", 4},
        HistogramCase{"A05-pi2-4.0.8-rt6-headed-histofall", "log_rt_preempt_0", 4},
        HistogramCase{"A07-bbb-nonRT-single-cpu", "log_preempt_3h_bbb", 1},
        HistogramCase{"A08-bbb-xenomai-min0", "log_xenomai_10h_bbb_busy", 1}));

TEST(CyclictestCorpus, A05KeepsTheWrappersHeaderAsMetadata) {
  const auto file = corpus("A05-pi2-4.0.8-rt6-headed-histofall/log_rt_preempt_0");
  SKIP_WITHOUT(file);

  const auto runs = runs_in(file);

  ASSERT_EQ(runs.size(), 1u);
  EXPECT_THAT(runs[0].header.at("Kernel"), HasSubstr("4.0.8-3-rt6-ARCH"));
  EXPECT_EQ(runs[0].header.at("CPUS"), "4");
  EXPECT_EQ(runs[0].header.at("Clocksource #0"), "arch_sys_counter");
}

TEST(CyclictestCorpus, A08TakesAMinimumOfZeroAsAValue) {
  const auto file = corpus("A08-bbb-xenomai-min0/log_xenomai_10h_bbb_busy");
  SKIP_WITHOUT(file);

  const auto runs = runs_in(file);

  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].threads[0].min, 0);
  EXPECT_EQ(runs[0].threads[0].histogram.at(0), 20u);
}

struct CsvCase {
  std::string file;
  std::string key;
};

class CsvCorpus : public ::testing::TestWithParam<CsvCase> {};

TEST_P(CsvCorpus, A10GivesSumsAndKnowsThatTheFooterIsLost) {
  const auto folder = corpus("A10-pi3bplus-rt-vs-std-csv");
  SKIP_WITHOUT(folder);
  const auto expected = nlohmann::json::parse(text_of(folder / "expected.json"))[GetParam().key];

  const auto runs = runs_in(folder / GetParam().file);

  ASSERT_EQ(runs.size(), 1u);
  ASSERT_EQ(runs[0].threads.size(), 4u);
  EXPECT_EQ(runs[0].format, CyclictestFormat::kCsv);
  EXPECT_EQ(runs[0].histogram_limit, 400);
  for (size_t i = 0; i < 4; ++i) {
    const CyclictestThread& thread = runs[0].threads[i];
    EXPECT_EQ(thread.cycles, expected["sums"][i].get<uint64_t>());
    EXPECT_EQ(thread.histogram.rbegin()->first, expected["max_nonzero_bin"][i].get<int64_t>());
    EXPECT_EQ(thread.max, std::nullopt);
    EXPECT_EQ(thread.overflows, std::nullopt);
  }
}

INSTANTIATE_TEST_SUITE_P(A10, CsvCorpus,
                         ::testing::Values(CsvCase{"histogram_rtkernel_model_b+.csv", "rt"},
                                           CsvCase{"histogram_stdkernel_model_b+.csv", "std"}));

// cycles, min, avg, max of each thread
std::vector<std::vector<int64_t>> values_of(const CyclictestRun& run) {
  std::vector<std::vector<int64_t>> values;
  for (const CyclictestThread& thread : run.threads) {
    values.push_back({static_cast<int64_t>(thread.cycles.value_or(0)), thread.min.value_or(-1),
                      static_cast<int64_t>(thread.avg.value_or(-1)), thread.max.value_or(-1)});
  }
  return values;
}

using Row = std::vector<int64_t>;

TEST(CyclictestCorpus, A11KeepsTheTwoRunsOfOneMailApart) {
  const auto file = corpus("A11-am57xx-timer-errata-before-after/mail.txt");
  SKIP_WITHOUT(file);

  const auto runs = runs_in(file);

  ASSERT_EQ(runs.size(), 2u);
  EXPECT_THAT(values_of(runs[0]), ElementsAre(Row{800368, 0, 22, 128}, Row{800301, 0, 23, 70}));
  EXPECT_THAT(values_of(runs[1]), ElementsAre(Row{759599, 0, 22, 108}, Row{759539, 0, 23, 79}));
  for (const CyclictestRun& run : runs) {
    EXPECT_EQ(run.cmdline, "cyclictest --mlockall --smp --priority=80 --interval=200 --distance=0");
    EXPECT_EQ(run.policy, "fifo");
    EXPECT_EQ(run.threads[1].interval_us, 200);
    EXPECT_EQ(run.threads[1].cpu, 1);
  }
  EXPECT_EQ(runs[1].source, "mail.txt:61");
}

TEST(CyclictestCorpus, A12JoinsTheLinesThatTheMailProgramBroke) {
  const auto file = corpus("A12-n97-wrapped-quoted-summary/cyclictest-quoted.txt");
  SKIP_WITHOUT(file);

  const auto runs = runs_in(file);

  ASSERT_EQ(runs.size(), 1u);
  EXPECT_THAT(values_of(runs[0]), ElementsAre(Row{8715, 1, 2, 14}, Row{5808, 1, 2, 28},
                                              Row{4355, 1, 2, 15}, Row{3483, 1, 3, 24}));
  EXPECT_EQ(runs[0].threads[3].interval_us, 2500);
  EXPECT_EQ(runs[0].threads[3].tid, 9618);
  EXPECT_EQ(runs[0].cmdline, "cyclictest -m -p 90 -S");
}

TEST(CyclictestCorpus, A26ReadsTheMeasurementsAndNotTheVerdictsOfLava) {
  const auto folder = corpus("A26-lava-ci-pass-fail");
  SKIP_WITHOUT(folder);

  const auto failed = runs_in(folder / "lava-19704-nonrt-fail.txt");
  const auto passed = runs_in(folder / "lava-797162-rt-pass.txt");

  ASSERT_EQ(failed.size(), 1u);
  ASSERT_EQ(failed[0].threads.size(), 1u);
  EXPECT_EQ(failed[0].threads[0].max, 10626);
  EXPECT_EQ(failed[0].threads[0].avg, 9160);
  EXPECT_EQ(failed[0].threads[0].min, 8156);
  EXPECT_EQ(failed[0].threads[0].cycles, std::nullopt);
  ASSERT_EQ(passed.size(), 1u);
  EXPECT_EQ(passed[0].threads[0].max, 53);
  EXPECT_EQ(passed[0].threads[0].avg, 23.54);
  EXPECT_EQ(passed[0].threads[0].min, 15);
}

}  // namespace
}  // namespace rtsweep
