// SPDX-License-Identifier: GPL-2.0-or-later

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "analysis/report/plain_text.h"
#include "analysis/report/render.h"
#include "tests/analysis/report/sample_report.h"

namespace rtsweep {
namespace {

using testing::cpu_with;
using testing::golden;
using ::testing::HasSubstr;
using testing::hostile_report;
using ::testing::Not;
using testing::sample_report;
using testing::trial_with;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(TextReport, IsTheGoldenOne) {
  const std::string text = render_text(sample_report());

  EXPECT_EQ(text, golden("sample.txt", text));
}

TEST(TextReport, ShowsTheWorstUsableRepetitionOfEachCell) {
  const std::string text = render_text(sample_report());

  // 140 is the worst of #1 (140) and #9 (42); 208 is over the limit of 150.
  EXPECT_THAT(text, HasSubstr("\n  6.1-rt   arm64        140       208*+\n"));
  EXPECT_THAT(text, HasSubstr("\n  6.1-rt   armhf         65+    INVALID\n"));
  EXPECT_THAT(text, HasSubstr("\n  6.12-rt  arm64         90+      ERROR\n"));
}

TEST(TextReport, QuantilesOfATrialAreTheNearestRanks) {
  const std::string text = render_text(sample_report());

  // #1: 1 of 37, 90 of 40, 8 of 60, 1 of 140. Ranks of 100: p50 50, p99 99, then 100.
  // Average (37 + 3600 + 480 + 140) / 100 = 42.57.
  EXPECT_THAT(text,
              HasSubstr("  #1      37  42.6   40   60    140     140      140  140      100"));
  // With #9 (50 of 38, 50 of 42): 200 samples, rank 100 is 40, 198 is 60, 200 is 140;
  // average (4257 + 4000) / 200 = 41.285.
  EXPECT_THAT(text,
              HasSubstr("  all     37  41.3   40   60    140     140      140  140      200"));
}

TEST(TextReport, AQuantileAmongOverflowsIsUnknown) {
  const std::string text = render_text(sample_report());

  // #7: 98 samples below 1000 us, two past it: rank 99 has no value, the maximum has.
  // Average (35 * 90 + 400 * 8 + 1200 + 3368) / 100 = 109.18.
  EXPECT_THAT(text,
              HasSubstr("  #7     35 109.2  35 unknown unknown unknown unknown 3368     100"));
}

TEST(TextReport, StaysWithin72ColumnsOfPlainText) {
  for (const RunReport& report : {sample_report(), hostile_report()}) {
    for (const std::string& line : lines_of(render_text(report))) {
      EXPECT_LE(columns_of(line), 72u) << line;
      EXPECT_EQ(line, printable(line));
    }
  }
}

TEST(TextReport, ManyLoadsGoOnBelowWithTheRowsRepeated) {
  RunReport report;
  for (int i = 1; i <= 12; ++i) {
    report.trials.push_back(trial_with(i, {{"load", "load-number-" + std::to_string(i)}},
                                       {cpu_with(0, {{10 * i, 5}})}));
  }

  const auto lines = lines_of(render_text(report));

  EXPECT_THAT(lines, ::testing::Contains(HasSubstr("load-number-12")));
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) { return line.starts_with("  all "); }),
            3);
}

TEST(TextReport, RowsTooWideForThePageAreNumbered) {
  RunReport report = sample_report();
  for (TrialResult& trial : report.trials) trial.cell["cmdline"] = std::string(90, 'x');
  report.trials[0].cell["cmdline"] = "quiet";

  const std::string text = render_text(report);

  EXPECT_THAT(text, HasSubstr("row 1: kernel = 6.1-rt, arch = arm64, cmdline = "));
}

TEST(TextReport, NeverPutsRealAndVirtualTimeIntoOneTable) {
  RunReport report = sample_report();
  report.trials[0].virtual_clock = false;
  report.trials[0].ns_per_instruction.reset();

  const std::string text = render_text(report);

  EXPECT_THAT(text, HasSubstr("in us, real time"));
  EXPECT_THAT(text, HasSubstr("in us, virtual time"));
  // #1 (140) is real now: the virtual cell keeps the 42 of #9.
  EXPECT_THAT(text, HasSubstr("  6.1-rt   arm64   140          -\n"));
  EXPECT_THAT(text, HasSubstr("  6.1-rt   arm64          42       208*\n"));
}

TEST(TextReport, OfARunInRealTimeDoesNotSpeakOfVirtualTime) {
  RunReport report;
  report.target = "local";
  report.trials = {trial_with(1, {{"load", "idle"}}, {cpu_with(0, {{3, 10}})})};

  const std::string text = render_text(report);

  EXPECT_THAT(text, Not(HasSubstr("irtual")));
  EXPECT_THAT(text, HasSubstr("\nidle (real time)\n"));  // nothing but the load to name it by
}

TEST(TextReport, OfAnEmptyRunSaysThatNothingWasMeasured) {
  RunReport report;
  report.name = "nothing";
  report.planned = 4;

  EXPECT_THAT(render_text(report), HasSubstr("Trials   0 of 4: 0 PASS"));
}

TEST(PlainText, ReplacesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\x1b[31mb\x7f"), "a?[31mb?");
  EXPECT_EQ(printable("caf\xc3\xa9 \xe2\x80\xae \xc2\x9b"), "caf\xc3\xa9 ? ?");
  EXPECT_EQ(printable("\xff\xc0\x80\xed\xa0\x80"), "??????");
  EXPECT_EQ(printable("a\tb\nc"), "a b c");
}

TEST(PlainText, WrapsAtWordsAndBreaksWhatIsLonger) {
  EXPECT_THAT(wrap("one two three", 9, 2, "- "), ::testing::ElementsAre("- one two", "  three"));
  EXPECT_THAT(wrap("abcdefghij", 6, 2, ""), ::testing::ElementsAre("abcdef", "  ghij"));
}

}  // namespace
}  // namespace rtsweep
