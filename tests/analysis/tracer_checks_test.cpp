// SPDX-License-Identifier: GPL-2.0-or-later

#include <gmock/gmock.h>

#include "analysis/tracer_samples.h"
#include "tests/analysis/good_trial.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::good_trial;
using ::testing::IsEmpty;
using testing::judge;

TracerSamples samples_of(uint64_t times, int64_t ns) {
  TracerSamples samples;
  for (uint64_t i = 0; i < times; ++i) samples.add(ns, 400);
  return samples;
}

// Ten seconds at 1000 us: 10,000 wakeups of each CPU, 12 us late and 3 us of them the interrupt.
TracerResult timerlat() {
  TracerResult result{.probe = "timerlat", .interval_us = 1000, .histogram_us = 400};
  for (const int cpu : {0, 1}) {
    result.cpus.push_back(
        {.cpu = cpu,
         .kinds = {{"irq", samples_of(10'000, 3'000)}, {"thread", samples_of(10'000, 12'000)}}});
  }
  return result;
}

// Ten seconds, of each of them half: 5 s of looking for gaps.
TracerResult hwlat() {
  TracerResult result{.probe = "hwlat", .interval_us = 1'000'000, .histogram_us = 400};
  result.busy_us = 500'000;
  result.spun_s = 4.9;
  for (const int cpu : {0, 1}) result.cpus.push_back({.cpu = cpu, .kinds = {{"gap", {}}}});
  return result;
}

TrialEvidence trial_with(const TracerResult& result) {
  TrialEvidence trial = good_trial();
  trial.planned.name = result.probe;
  trial.planned.interval_us = result.interval_us;
  trial.tracer = result;
  trial.json = main_samples(result);
  trial.text.reset();
  return trial;
}

TEST(TracerChecks, PassAGoodTrial) {
  EXPECT_THAT(judge(trial_with(timerlat())), IsEmpty());
  EXPECT_THAT(judge(trial_with(hwlat())), IsEmpty());
}

TEST(TracerChecks, WantEveryRecord) {
  TracerResult result = timerlat();
  result.lost_events = 1;

  EXPECT_THAT(judge(trial_with(result)), ElementsAre("probe_lost_samples"));
}

TEST(TracerChecks, WantSamplesOfEachCpu) {
  TracerResult result = timerlat();
  result.cpus[1].kinds["thread"] = {};

  EXPECT_THAT(judge(trial_with(result)), ElementsAre("thread_never_ran"));
}

TEST(TracerChecks, WantAsManyCyclesAsPlanned) {
  TracerResult result = timerlat();
  result.cpus[1].kinds["thread"] = samples_of(9'800, 12'000);  // 2 % are missing

  EXPECT_THAT(judge(trial_with(result)), ElementsAre("too_few_cycles"));
}

TEST(TracerChecks, RefuseSamplesBeforeTheirTimeOfAnyKind) {
  TracerResult result = timerlat();
  result.cpus[0].kinds["irq"].add(-1'000, 400);

  EXPECT_THAT(judge(trial_with(result)), ElementsAre("negative_latency"));
}

TEST(TracerChecks, RefuseSamplesLongerThanTheTrial) {
  TracerResult result = timerlat();
  result.cpus[0].kinds["irq"].add(10'000'000'000, 400);

  EXPECT_THAT(judge(trial_with(result)), ElementsAre("absurd_latency"));
}

TEST(TracerChecks, CompareTheMainKindWithTheLimit) {
  TracerResult result = timerlat();  // the limit is 100 us
  result.cpus[0].kinds["irq"].add(150'000, 400);
  EXPECT_THAT(judge(trial_with(result)), IsEmpty());

  result.cpus[0].kinds["thread"].add(150'000, 400);
  EXPECT_THAT(judge(trial_with(result)), ElementsAre("limit_exceeded"));
}

// Four fifths of 5 s, less a second for the start.
TEST(TracerChecks, WantProofThatHwlatLookedForGaps) {
  TracerResult result = hwlat();
  result.spun_s = 3.01;
  EXPECT_THAT(judge(trial_with(result)), IsEmpty());

  result.spun_s = 2.99;
  EXPECT_THAT(judge(trial_with(result)), ElementsAre("too_few_cycles"));

  result.spun_s.reset();  // its thread was not found
  EXPECT_THAT(judge(trial_with(result)), ElementsAre("too_few_cycles"));
}

TEST(TracerChecks, WantNoTraceOfATracersOutliers) {
  TrialEvidence trial = trial_with(timerlat());
  trial.planned.breakpoint_us = 10;

  EXPECT_THAT(judge(trial), IsEmpty());
}

}  // namespace
}  // namespace rtsweep
