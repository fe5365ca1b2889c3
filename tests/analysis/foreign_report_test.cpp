// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/foreign_report.h"

#include <gmock/gmock.h>

#include "tests/analysis/cyclictest_files.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;

TEST(ForeignReport, HasOneTrialARun) {
  auto runs = testing::runs_in(testing::golden("2.4-two-threads.json"));
  const auto more = testing::runs_in(testing::golden("1.5-histofall.txt"));
  runs.insert(runs.end(), more.begin(), more.end());

  const RunReport report = foreign_report(runs);

  ASSERT_EQ(report.trials.size(), 2u);
  EXPECT_EQ(report.trials[0].id, 1);
  EXPECT_EQ(report.trials[0].cell, (Cell{{"file", "2.4-two-threads.json"}}));
  EXPECT_EQ(report.trials[0].probe_version, "2.40");
  EXPECT_EQ(report.trials[0].facts->machine, "x86_64");
  EXPECT_EQ(report.trials[1].facts, std::nullopt);
  EXPECT_THAT(report.levels.at("file"), ElementsAre("2.4-two-threads.json", "1.5-histofall.txt"));
}

TEST(ForeignReport, TakesTheKernelFromAWrappersHeader) {
  const auto runs = parse_cyclictest(
      "# Kernel:  4.1.3-1-ARCH #1 Thu Aug 13 10:28:01 CEST 2015 armv7l\n"
      "T: 0 ( 1449) P:80 I:200 C:    100 Min:      1 Act:   32 Avg:   22 Max:     128\n",
      "log");
  ASSERT_TRUE(runs);

  const RunReport report = foreign_report(*runs);

  EXPECT_EQ(report.trials.at(0).facts->kernel_release, "4.1.3-1-ARCH");
  EXPECT_EQ(report.trials.at(0).facts->kernel_version, "#1 Thu Aug 13 10:28:01 CEST 2015 armv7l");
}

TEST(ForeignReport, IsInvalidWhereTheNumbersCannotBeBelieved) {
  const auto runs = parse_cyclictest(
      "T: 0 ( 1449) P:80 I:200 C:    100 Min:   -172 Act:   32 Avg:   22 Max:     128\n", "log");
  ASSERT_TRUE(runs);

  EXPECT_EQ(foreign_report(*runs).trials.at(0).verdict, Verdict::kInvalid);
}

}  // namespace
}  // namespace rtsweep
