// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/run_findings.h"

#include <gmock/gmock.h>

#include <cmath>

namespace rtsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Ten intervals of 100 samples, all of the same latency but one: T1 is nearly its logarithm.
TrialResult trial(const std::string& bitness, const std::string& load, int repetition,
                  int64_t latency_us) {
  CpuResult cpu{.cpu = 0,
                .kind = "",
                .cycles = 1000,
                .max_us = latency_us,
                .histogram = LatencyHistogram(Latency(20'000))};
  cpu.histogram.add(Latency(latency_us), 1000);
  TrialResult result;
  result.cell = {{"bitness", bitness}, {"load", load}};
  result.repetition = repetition;
  result.verdict = Verdict::kPass;
  result.duration_s = 100;
  result.cpus = {cpu};
  return result;
}

// Idle, both are 100 us; under a kernel build 64-bit is 150, 32-bit 100. Repetitions differ by a
// microsecond or two.
RunReport slower_under_build() {
  RunReport report;
  report.factors = {"bitness", "load"};
  report.levels = {{"bitness", {"32", "64"}}, {"load", {"idle", "kernel-build"}}};
  const int64_t wobble[4][3] = {{0, 2, 1}, {1, 0, 2}, {2, 1, 0}, {0, 1, 2}};
  for (int block = 0; block < 3; ++block) {
    report.trials.push_back(trial("32", "idle", block + 1, 100 + wobble[0][block]));
    report.trials.push_back(trial("64", "idle", block + 1, 100 + wobble[1][block]));
    report.trials.push_back(trial("32", "kernel-build", block + 1, 100 + wobble[2][block]));
    report.trials.push_back(trial("64", "kernel-build", block + 1, 150 + wobble[3][block]));
  }
  return report;
}

// ln(151 / 101) = 0.402: 49.5 %.
TEST(RunFindings, SayWhereAFactorActs) {
  const auto all = find_in(slower_under_build());

  ASSERT_THAT(all, SizeIs(1));
  ASSERT_TRUE(all[0].effects) << all[0].why_not;
  std::string text;
  for (const auto& finding : all[0].effects->findings) text += finding.sentence() + "\n";
  EXPECT_THAT(text, HasSubstr("bitness 64 is 49 % ["));
  EXPECT_THAT(text, HasSubstr("slower than 32 under load kernel-build only"));
  EXPECT_THAT(all[0].summary(), HasSubstr("12 trials in 3 blocks"));
}

TEST(RunFindings, NeedTwoCellsAndTwoRepetitions) {
  RunReport report = slower_under_build();
  std::erase_if(report.trials, [](const TrialResult& t) { return t.repetition > 1; });
  EXPECT_THAT(find_in(report), IsEmpty());

  report = slower_under_build();
  std::erase_if(report.trials, [](const TrialResult& t) {
    return t.cell.at("bitness") != "64" || t.cell.at("load") != "idle";
  });
  EXPECT_THAT(find_in(report), IsEmpty());
}

TEST(RunFindings, SayWhyThereAreNone) {
  RunReport report = slower_under_build();
  report.trials[0].duration_s = 200;
  ASSERT_THAT(find_in(report), SizeIs(1));
  EXPECT_THAT(find_in(report)[0].summary(), HasSubstr("trials differ in length"));

  report = slower_under_build();
  for (size_t i = 0; i < report.trials.size(); i += 4) report.trials[i].verdict = Verdict::kInvalid;
  EXPECT_THAT(find_in(report)[0].summary(), HasSubstr("two at least are needed"));
}

}  // namespace
}  // namespace rtsweep
