// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trial_checks.h"

#include <gmock/gmock.h>

#include "tests/analysis/cyclictest_files.h"

namespace rtsweep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// 10 s at 1000 us are 10000 cycles; 9999 of them at 50 us and one at 80 us.
CyclictestThread good_thread(int number) {
  return {.thread = number,
          .cpu = number,
          .cycles = 10'000,
          .min = 50,
          .max = 80,
          .avg = 50.0,
          .histogram = {{50, 9'999}, {80, 1}},
          .overflows = 0};
}

CyclictestRun good_run() {
  return {.histogram_limit = 400, .threads = {good_thread(0), good_thread(1)}};
}

MachineFacts good_facts() {
  return {.kernel_release = "6.12.9-rt",
          .cmdline = "console=ttyAMA0 numa=fake=2 quiet",
          .preempt_rt = true,
          .numa_nodes = 2,
          .online_cpus = {0, 1},
          .clocksource = "arch_sys_counter"};
}

LoadResult good_load() {
  return {.name = "hackbench", .alive = true, .work = 5000, .unit = "messages", .floor = 1000};
}

TrialEvidence good_trial() {
  return {.planned = {.interval_us = 1000, .duration_s = 10, .histogram_us = 400, .limit_us = 100},
          .expected_release = "6.12.9-rt",
          .boot_parameters = {"numa=fake=2"},
          .before = good_facts(),
          .after = good_facts(),
          .probe = ProbeEnding{},
          .json = good_run(),
          .text = good_run(),
          .loads = {good_load()}};
}

std::vector<std::string> codes_of(const std::vector<Reason>& reasons) {
  std::vector<std::string> codes;
  for (const Reason& reason : reasons) codes.push_back(reason.code);
  return codes;
}

std::vector<std::string> judge(const TrialEvidence& evidence) {
  return codes_of(judge_trial(evidence));
}

ConsoleFinding panic() {
  return {.kind = ConsoleFindingKind::kKernelPanic,
          .fatal = true,
          .line = 7,
          .text = "Kernel panic - not syncing: Fatal exception"};
}

TrialEvidence without_result(TrialEnding ending) {
  TrialEvidence evidence = good_trial();
  evidence.ending = ending;
  evidence.json.reset();
  evidence.text.reset();
  evidence.probe.reset();
  evidence.after.reset();
  evidence.loads.clear();
  return evidence;
}

TEST(JudgeTrial, HasNothingToSayOfAGoodTrial) {
  EXPECT_THAT(judge(good_trial()), IsEmpty());
  EXPECT_EQ(verdict_of(judge_trial(good_trial())), Verdict::kPass);
}

// --- endings

struct Ending {
  TrialEnding ending;
  std::string code;
};

class JudgeEnding : public ::testing::TestWithParam<Ending> {};

TEST_P(JudgeEnding, IsAnErrorWithItsOwnReason) {
  const TrialEvidence evidence = without_result(GetParam().ending);

  EXPECT_THAT(judge(evidence), ElementsAre(GetParam().code));
  EXPECT_EQ(verdict_of(judge_trial(evidence)), Verdict::kError);
}

INSTANTIATE_TEST_SUITE_P(Trial, JudgeEnding,
                         ::testing::Values(Ending{TrialEnding::kBootTimeout, "boot_timeout"},
                                           Ending{TrialEnding::kHung, "guest_hung"},
                                           Ending{TrialEnding::kVmDied, "vm_died"},
                                           Ending{TrialEnding::kInterrupted, "interrupted"},
                                           Ending{TrialEnding::kFailed, "trial_failed"}));

TEST(JudgeTrial, BlamesThePanicAndNotTheVmThatItEnded) {
  TrialEvidence evidence = without_result(TrialEnding::kVmDied);
  evidence.console = {panic()};

  const auto reasons = judge_trial(evidence);

  EXPECT_THAT(codes_of(reasons), ElementsAre("kernel_panic"));
  EXPECT_THAT(reasons[0].text,
              HasSubstr("console line 7: Kernel panic - not syncing: Fatal exception"));
}

TEST(JudgeTrial, TellsTheFirstOfACascadeAndCountsTheRest) {
  TrialEvidence evidence = without_result(TrialEnding::kHung);
  for (const char* cpu : {"CPU#3", "CPU#2", "CPU#1"}) {
    evidence.console.push_back(
        {.kind = ConsoleFindingKind::kLockup, .fatal = true, .line = 1, .text = cpu});
  }

  const auto reasons = judge_trial(evidence);

  EXPECT_THAT(codes_of(reasons), ElementsAre("lockup"));
  EXPECT_THAT(reasons[0].text, HasSubstr("CPU#3, and 2 more"));
}

TEST(JudgeTrial, SaysThatALoadFailedToStart) {
  TrialEvidence evidence = without_result(TrialEnding::kFailed);
  evidence.ending_message = "load hackbench ended before the measurement: exit code 1";

  EXPECT_THAT(judge(evidence), ElementsAre("load_failed"));
}

TEST(JudgeTrial, IsInvalidWhenVirtualTimeGaveDifferentResults) {
  TrialEvidence evidence = good_trial();
  evidence.ending = TrialEnding::kNotDeterministic;

  EXPECT_THAT(judge(evidence), ElementsAre("not_deterministic"));
  EXPECT_EQ(verdict_of(judge_trial(evidence)), Verdict::kInvalid);
}

TEST(JudgeTrial, IsAnErrorWhenTheKernelDiedAlthoughTheTrialCameToItsEnd) {
  TrialEvidence evidence = good_trial();
  evidence.console = {panic()};

  EXPECT_EQ(verdict_of(judge_trial(evidence)), Verdict::kError);
}

TEST(JudgeTrial, IsInvalidWhenRealTimeTasksWereThrottled) {
  TrialEvidence evidence = good_trial();
  evidence.console = {{.kind = ConsoleFindingKind::kRtThrottling, .line = 3, .text = "sched: RT"}};

  EXPECT_THAT(judge(evidence), ElementsAre("rt_throttling"));
  EXPECT_EQ(verdict_of(judge_trial(evidence)), Verdict::kInvalid);
}

// --- the probe

TEST(JudgeTrial, DoesNotBelieveAnExitCode) {
  TrialEvidence evidence = good_trial();
  evidence.probe = ProbeEnding{.exit_code = 1};

  EXPECT_THAT(judge(evidence), IsEmpty());
}

TEST(JudgeTrial, IsAnErrorWhenTheProbeLeftNothing) {
  for (const ProbeEnding& ending : {ProbeEnding{}, ProbeEnding{.exit_code = 1}}) {
    TrialEvidence evidence = good_trial();
    evidence.json.reset();
    evidence.text.reset();
    evidence.probe = ending;

    EXPECT_THAT(judge(evidence), ElementsAre("probe_failed"));
  }
}

TEST(JudgeTrial, IsAnErrorWhenACompleteTrialHasNoResultAtAll) {
  EXPECT_THAT(judge(without_result(TrialEnding::kComplete)), ElementsAre("probe_failed"));
}

TEST(JudgeTrial, IsAnErrorWhenTheProbeWasKilled) {
  TrialEvidence evidence = good_trial();
  evidence.probe = ProbeEnding{.signal = 9};

  EXPECT_THAT(judge(evidence), ElementsAre("probe_failed"));
}

TEST(JudgeTrial, IsInvalidWhenTheOutputIsCutOff) {
  TrialEvidence evidence = good_trial();
  evidence.json.reset();
  evidence.unreadable = "cyclictest.json:12: the JSON is cut off here";

  const auto reasons = judge_trial(evidence);

  EXPECT_THAT(codes_of(reasons), ElementsAre("output_truncated"));
  EXPECT_THAT(reasons[0].text, HasSubstr("cyclictest.json:12"));
}

TEST(JudgeTrial, IsInvalidWhenJsonAndTextDiffer) {
  TrialEvidence evidence = good_trial();
  evidence.text->threads[1].max = 81;

  EXPECT_THAT(judge(evidence), ElementsAre("results_differ"));
}

TEST(JudgeTrial, AgreesWithWhatCyclictestReallyWroteTwice) {
  TrialEvidence evidence = good_trial();
  evidence.planned = {.interval_us = 997, .duration_s = 0, .histogram_us = 100};
  evidence.json = testing::runs_in(testing::golden("2.4-two-threads.json")).at(0);
  evidence.text = testing::runs_in(testing::golden("2.4-two-threads.txt")).at(0);

  EXPECT_THAT(judge(evidence), Not(Contains("results_differ")));
}

// --- requested is not effective

TEST(JudgeTrial, IsInvalidWhenAnotherKernelRan) {
  TrialEvidence evidence = good_trial();
  evidence.before->kernel_release = "6.1.0-50-rt";

  EXPECT_THAT(judge(evidence), ElementsAre("wrong_kernel"));
}

TEST(JudgeTrial, IsInvalidWhenTheKernelIsNotOrMayNotBeRealTime) {
  for (const std::optional<bool> rt : {std::optional(false), std::optional<bool>()}) {
    TrialEvidence evidence = good_trial();
    evidence.before->preempt_rt = rt;

    EXPECT_THAT(judge(evidence), ElementsAre("not_rt"));
  }
}

TEST(JudgeTrial, MeasuresAnotherKernelWhenThePlanExpectsIt) {
  TrialEvidence evidence = good_trial();
  evidence.expect_rt = false;
  evidence.before->preempt_rt = false;

  EXPECT_THAT(judge(evidence), IsEmpty());
}

TEST(JudgeTrial, IsInvalidWithoutTheNumaNodesThatWereAskedFor) {
  TrialEvidence evidence = good_trial();
  evidence.before->numa_nodes = 1;

  EXPECT_THAT(judge(evidence), ElementsAre("numa_not_effective"));
}

TEST(JudgeTrial, IsInvalidWhenAKernelHasNoNuma) {
  TrialEvidence evidence = good_trial();
  evidence.before->numa_nodes.reset();

  const auto reasons = judge_trial(evidence);

  EXPECT_THAT(codes_of(reasons), ElementsAre("numa_not_effective"));
  EXPECT_THAT(reasons[0].text, HasSubstr("no NUMA nodes"));
}

TEST(JudgeTrial, IsInvalidWhenABootParameterDidNotArrive) {
  TrialEvidence evidence = good_trial();
  evidence.boot_parameters.push_back("isolcpus=1");

  EXPECT_THAT(judge(evidence), ElementsAre("cmdline_not_effective"));
}

// Lines as the kernel of a machine with one node prints them.
const char kBoundToNode0[] =
    "559592deb000 bind:0 file=/usr/bin/cyclictest mapped=3 N0=3 kernelpagesize_kB=4\n"
    "5595ccb8d000 bind:0 heap anon=33 dirty=33 N0=33 kernelpagesize_kB=4\n"
    "7fdcd4000000 prefer:0 anon=33 dirty=33 N0=33 kernelpagesize_kB=4\n"
    "7fdcd4021000 bind:0\n"
    "7fdce3023000 bind:0 file=/usr/lib/libc.so.6 mapped=38 mapmax=46 N1=38 kernelpagesize_kB=4\n"
    "7ffd8e4d4000 bind:0 stack anon=33 dirty=33 N0=33 kernelpagesize_kB=4\n";

std::string with(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::vector<std::string> judge_policy(const std::string& policy, const std::string& numa_maps) {
  TrialEvidence evidence = good_trial();
  evidence.planned.memory = policy;
  evidence.numa_maps = numa_maps;
  return judge(evidence);
}

TEST(JudgeMemoryPolicy, AcceptsHeapAndStackThatHaveIt) {
  EXPECT_THAT(judge_policy("bind:0", kBoundToNode0), IsEmpty());
  EXPECT_THAT(judge_policy("preferred:0", with(kBoundToNode0, "bind:", "prefer:")), IsEmpty());
  EXPECT_THAT(judge_policy("preferred:0", with(kBoundToNode0, "bind:", "prefer (many):")),
              IsEmpty());
  EXPECT_THAT(judge_policy("interleave:all", with(kBoundToNode0, "bind:0", "interleave:0-1")),
              IsEmpty());
  EXPECT_THAT(judge_policy("local", with(kBoundToNode0, "bind:0", "local")), IsEmpty());
}

TEST(JudgeMemoryPolicy, IsInvalidWhenHeapAndStackHaveAnother) {
  EXPECT_THAT(judge_policy("bind:0", with(kBoundToNode0, "bind:0", "default")),
              ElementsAre("memory_policy_not_effective"));
  EXPECT_THAT(judge_policy("bind:1", kBoundToNode0), ElementsAre("memory_policy_not_effective"));
}

TEST(JudgeMemoryPolicy, IsInvalidWhenPagesLieOnAnotherNode) {
  EXPECT_THAT(judge_policy("bind:0", with(kBoundToNode0, "N0=33", "N0=30 N1=3")),
              ElementsAre("memory_policy_not_effective"));
}

TEST(JudgeMemoryPolicy, IsInvalidWhenItCannotBeReadBack) {
  EXPECT_THAT(judge_policy("bind:0", ""), ElementsAre("memory_policy_not_effective"));
}

// --- loads

TEST(JudgeLoads, IsInvalidWhenOneDied) {
  TrialEvidence evidence = good_trial();
  evidence.loads[0].alive = false;
  evidence.loads[0].ended = "killed by signal 11";

  const auto reasons = judge_trial(evidence);

  EXPECT_THAT(codes_of(reasons), ElementsAre("load_died"));
  EXPECT_THAT(reasons[0].text, HasSubstr("killed by signal 11"));
}

TEST(JudgeLoads, IsInvalidBelowTheFloorOrWithoutACount) {
  for (const std::optional<double> work : {std::optional(999.0), std::optional<double>()}) {
    TrialEvidence evidence = good_trial();
    evidence.loads[0].work = work;

    EXPECT_THAT(judge(evidence), ElementsAre("load_below_floor"));
  }
}

TEST(JudgeLoads, AsksNoWorkOfALoadWithoutAFloor) {
  TrialEvidence evidence = good_trial();
  evidence.loads = {{.name = "idle", .alive = true}};

  EXPECT_THAT(judge(evidence), IsEmpty());
}

// --- the numbers

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

TEST(JudgeCycles, AreFewerByIntentionAfterABreakpoint) {
  CyclictestRun run = good_run();
  run.threads[0].cycles = 100;
  run.threads[0].histogram = {{50, 99}, {80, 1}};
  TrialEvidence evidence = with_run(run);
  evidence.planned.breakpoint_us = 79;

  EXPECT_THAT(judge(evidence), ElementsAre("breakpoint_hit"));
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
