// SPDX-License-Identifier: GPL-2.0-or-later

#include <gmock/gmock.h>

#include "tests/analysis/good_trial.h"

namespace rtsweep {
namespace {

using testing::codes_of;
using ::testing::ElementsAre;
using testing::good_run;
using testing::good_trial;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judge;

TrialEvidence with_run(const CyclictestRun& run) {
  TrialEvidence evidence = good_trial();
  evidence.json = run;
  evidence.text.reset();
  return evidence;
}

TEST(JudgeCycles, AcceptsAHundredthLessForStartAndStop) {
  CyclictestRun run = good_run();
  run.threads[1].cycles = 9'900;
  run.threads[1].histogram = {{50, 9'899}, {80, 1}};

  EXPECT_THAT(judge(with_run(run)), IsEmpty());
}

TEST(JudgeCycles, IsInvalidWithFewer) {
  CyclictestRun run = good_run();
  run.threads[1].cycles = 9'899;
  run.threads[1].histogram = {{50, 9'898}, {80, 1}};

  const auto reasons = judge_trial(with_run(run));

  EXPECT_THAT(codes_of(reasons), ElementsAre("too_few_cycles"));
  EXPECT_THAT(reasons[0].text, HasSubstr("thread 1 on CPU 1 counted 9899 cycles of 10000"));
}

// A wakeup that is 250000 us late makes cyclictest skip the 250 cycles in between.
TEST(JudgeCycles, ExplainsMissingCyclesByTheLatenciesThatAteThem) {
  CyclictestRun run = good_run();
  run.histogram_limit = 400'000;
  run.threads[1].cycles = 9'750;
  run.threads[1].histogram = {{50, 9'749}, {250'000, 1}};
  run.threads[1].max = 250'000;
  TrialEvidence evidence = with_run(run);
  evidence.planned.limit_us.reset();

  EXPECT_THAT(judge(evidence), IsEmpty());
}

TEST(JudgeNumbers, IsInvalidWhenAThreadNeverRan) {
  CyclictestRun run = good_run();
  run.threads[1] = {.thread = 1, .cpu = 1, .cycles = 0, .overflows = 0};

  EXPECT_THAT(judge(with_run(run)), ElementsAre("thread_never_ran"));
}

TEST(JudgeNumbers, IsInvalidWhenACpuWasNotMeasured) {
  CyclictestRun run = good_run();
  run.threads.pop_back();

  EXPECT_THAT(judge(with_run(run)), ElementsAre("cpu_offline"));
}

TEST(JudgeNumbers, IsInvalidWhenACpuWentOffline) {
  TrialEvidence evidence = good_trial();
  evidence.after->online_cpus = {0};

  EXPECT_THAT(judge(evidence), ElementsAre("cpu_offline"));
}

TEST(JudgeNumbers, IsInvalidWhenTheClockSourceChanged) {
  TrialEvidence evidence = good_trial();
  evidence.after->clocksource = "jiffies";

  EXPECT_THAT(judge(evidence), ElementsAre("clocksource_changed"));
}

TEST(JudgeNumbers, IsInvalidWhenALatencyIsNegative) {
  CyclictestRun run = good_run();
  run.threads[0].min = -172;

  EXPECT_THAT(judge(with_run(run)), ElementsAre("negative_latency"));
}

// 32-bit ARM laboratories have reported 270 s of a two-minute run as passed.
TEST(JudgeNumbers, IsInvalidWhenALatencyIsLongerThanTheTrialOrAnyWatchdog) {
  for (const int64_t latency : {269'990'977, 10'000'001}) {
    CyclictestRun run = good_run();
    run.threads[0].max = latency;
    run.threads[0].histogram = {{50, 9'999}};
    run.threads[0].overflows = 1;
    TrialEvidence evidence = with_run(run);
    evidence.planned.limit_us.reset();

    EXPECT_THAT(judge(evidence), ElementsAre("absurd_latency", "overflow_known"));
  }
}

TEST(JudgeNumbers, WarnsOfAMinimumOfZeroAndOfOneLikeATick) {
  CyclictestRun run = good_run();
  run.threads[0].min = 0;
  EXPECT_THAT(judge(with_run(run)), ElementsAre("zero_latency"));

  run.threads[0].min = 8'156;
  run.threads[0].max = 10'626;
  TrialEvidence evidence = with_run(run);
  evidence.planned.limit_us.reset();
  EXPECT_THAT(judge(evidence), ElementsAre("coarse_timer"));
  EXPECT_EQ(verdict_of(judge_trial(evidence)), Verdict::kPass);
}

// 10000 samples a thread, `overflows` of thread 0's past the histogram.
CyclictestRun overflowing_run(uint64_t overflows) {
  CyclictestRun run = good_run();
  run.threads[0].histogram = {{50, 10'000 - overflows}};
  run.threads[0].overflows = overflows;
  run.threads[0].max = 5'000;
  return run;
}

TEST(JudgeOverflow, OfOneSampleIsKnownForItIsTheMaximum) {
  TrialEvidence evidence = with_run(overflowing_run(1));
  evidence.planned.limit_us.reset();

  EXPECT_THAT(judge(evidence), ElementsAre("overflow_known"));
  EXPECT_EQ(verdict_of(judge_trial(evidence)), Verdict::kPass);
}

// Rank of p99.99 of 20000 samples: 19998. Three overflows hold the ranks 19998 to 20000.
TEST(JudgeOverflow, IsInvalidWhenItHidesAQuantile) {
  TrialEvidence evidence = with_run(overflowing_run(3));
  evidence.planned.limit_us.reset();

  const auto reasons = judge_trial(evidence);

  EXPECT_THAT(codes_of(reasons), ElementsAre("histogram_overflow"));
  EXPECT_THAT(reasons[0].text, HasSubstr("3 sample(s) went past the histogram, and p99.99 is not"));
}

TEST(JudgeOverflow, DoesNotHideThatTheLimitWasExceeded) {
  const TrialEvidence evidence = with_run(overflowing_run(3));

  EXPECT_THAT(judge(evidence), ElementsAre("overflow_known", "limit_exceeded"));
  EXPECT_EQ(verdict_of(judge_trial(evidence)), Verdict::kFail);
}

TEST(JudgeLimit, IsExceededByMoreAndNotByExactlyTheLimit) {
  TrialEvidence evidence = good_trial();
  evidence.planned.limit_us = 80;
  EXPECT_THAT(judge(evidence), IsEmpty());

  evidence.planned.limit_us = 79;
  const auto reasons = judge_trial(evidence);
  EXPECT_THAT(codes_of(reasons), ElementsAre("limit_exceeded"));
  EXPECT_THAT(reasons[0].text,
              HasSubstr("thread 0 on CPU 0 had a latency of 80 us, the limit is 79"));
  EXPECT_EQ(verdict_of(reasons), Verdict::kFail);
}

TEST(JudgeLimit, TellsOfTheWorstThreadAndHowManyMore) {
  TrialEvidence evidence = good_trial();
  evidence.planned.limit_us = 70;
  evidence.json->threads[1].max = 90;
  evidence.json->threads[1].histogram = {{50, 9'999}, {90, 1}};
  evidence.text.reset();

  const auto reasons = judge_trial(evidence);

  ASSERT_THAT(codes_of(reasons), ElementsAre("limit_exceeded"));
  EXPECT_THAT(reasons[0].text, HasSubstr("thread 1 on CPU 1 had a latency of 90 us, the limit is "
                                         "70 us (and 1 more); "));
}

TEST(JudgeGovernor, WarnsUnlessItIsPerformanceAndIsInvalidWhenItChanges) {
  TrialEvidence evidence = good_trial();
  evidence.before->governors = evidence.after->governors = {{0, "performance"}, {1, "powersave"}};
  EXPECT_THAT(judge(evidence), ElementsAre("governor_not_performance"));

  evidence.before->governors[1] = "performance";
  EXPECT_THAT(judge(evidence), ElementsAre("governor_changed"));
}

TEST(JudgeLatencies, OfAForeignRunNeedsNoPlan) {
  const auto runs = parse_cyclictest(
      "T: 0 ( 1449) P:80 I:200 C:    100 Min:   -172 Act:   32 Avg:   22 Max:269990977\n", "in");
  ASSERT_TRUE(runs);

  EXPECT_THAT(codes_of(judge_latencies((*runs)[0])),
              ElementsAre("negative_latency", "absurd_latency"));
}

TEST(JudgeLatencies, SayThatACsvHasLostItsMaximum) {
  const auto runs = parse_cyclictest("time,core1\n000000,000000\n000001,000007\n", "in");
  ASSERT_TRUE(runs);

  EXPECT_THAT(codes_of(judge_latencies((*runs)[0])), ElementsAre("maximum_unknown"));
}

}  // namespace
}  // namespace rtsweep
