// SPDX-License-Identifier: GPL-2.0-or-later

// What happened while the probe measured.

#include <gmock/gmock.h>

#include "tests/analysis/good_trial.h"

namespace rtsweep {
namespace {

using testing::codes_of;
using ::testing::ElementsAre;
using testing::good_trial;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judge;

Counters counters_at(double seconds) {
  return {
      .monotonic_s = seconds,
      .boottime_s = seconds,
      .realtime_s = 1'700'000'000 + seconds,
      .cpus = {{0, {.steal_ms = 0, .smis = 7}}, {1, {.steal_ms = 0, .smis = 7}}},
      .tainted = 0,
      .rt_tasks = {
          {.pid = 20, .name = "migration/0", .policy = "fifo", .priority = 99, .kernel = true}}};
}

// 10 s; the suite's cost as one that sleeps has it.
TrialEvidence quiet_trial() {
  TrialEvidence evidence = good_trial();
  evidence.counters = {.begin = counters_at(100),
                       .end = counters_at(110),
                       .observer = ObserverCost{.wall_s = 10, .cpu_s = 0.01, .switches = 15}};
  return evidence;
}

TEST(JudgeCounters, HaveNothingToSayOfAQuietMeasurement) {
  EXPECT_THAT(judge(quiet_trial()), IsEmpty());
}

TEST(JudgeCounters, TellASuspendFromASetClock) {
  TrialEvidence evidence = quiet_trial();
  *evidence.counters->end.boottime_s += 3600;
  *evidence.counters->end.realtime_s += 3600;
  EXPECT_THAT(judge(evidence), ElementsAre("host_suspended", "clock_jump"));

  evidence = quiet_trial();
  *evidence.counters->end.realtime_s -= 2;
  const auto reasons = judge_trial(evidence);
  EXPECT_THAT(codes_of(reasons), ElementsAre("clock_jump"));
  EXPECT_THAT(reasons[0].text, HasSubstr("-2.0 s"));
}

// NTP slews by 500 ppm at most: 5 ms in 10 s.
TEST(JudgeCounters, AllowForWhatNtpSlews) {
  TrialEvidence evidence = quiet_trial();
  *evidence.counters->end.realtime_s += 0.005;
  EXPECT_THAT(judge(evidence), IsEmpty());
}

// Bits as vcgencmd(1) lists them; 0xe0000 is of corpus case G02: slowed down since boot,
// never under-voltage.
TEST(JudgeCounters, ReadThrottlingBitsByWhatCameInTheTrial) {
  TrialEvidence evidence = quiet_trial();
  auto& begin = evidence.counters->begin.throttled_bits;
  auto& end = evidence.counters->end.throttled_bits;
  begin = end = 0xe0000;  // long ago
  EXPECT_THAT(judge(evidence), IsEmpty());
  begin = 0;
  EXPECT_THAT(judge(evidence), ElementsAre("throttled"));
  end = 0x10000;
  EXPECT_THAT(judge(evidence), ElementsAre("under_voltage"));
  begin = 0x50005;  // now, and still
  end = 0x50000;
  EXPECT_THAT(judge(evidence), ElementsAre("under_voltage", "throttled"));
}

TEST(JudgeCounters, SeeHeatInWhateverTheMachineCounts) {
  TrialEvidence evidence = quiet_trial();
  evidence.counters->begin.cpus[1].thermal_throttles = 4;
  evidence.counters->end.cpus[1].thermal_throttles = 6;
  EXPECT_THAT(judge_trial(evidence)[0].text, HasSubstr("CPU 1 got too hot 2 time(s)"));

  evidence = quiet_trial();
  evidence.counters->end.cooling = {{"pwm-fan (cooling_device0)", 3}};
  EXPECT_THAT(judge(evidence), IsEmpty());
  evidence.counters->end.cooling = {{"cpufreq-cpu0 (cooling_device1)", 1}};
  EXPECT_THAT(judge(evidence), ElementsAre("throttled"));

  evidence = quiet_trial();
  evidence.kernel_log = {"[  12.000000] hwmon hwmon1: Undervoltage detected!"};
  EXPECT_THAT(judge(evidence), ElementsAre("under_voltage"));
}

TEST(JudgeCounters, SeeAPinnedFrequencyThatDidNotHold) {
  TrialEvidence evidence = quiet_trial();
  const FrequencyLimits pinned = {
      .driver = "cpufreq-dt", .min_khz = 1'500'000, .max_khz = 1'500'000};
  evidence.before->frequency_limits = evidence.after->frequency_limits = {{0, pinned}};
  evidence.counters->end.cpus[0].khz = 1'500'345;
  EXPECT_THAT(judge(evidence), IsEmpty());
  evidence.counters->end.cpus[0].khz = 1'000'000;
  EXPECT_THAT(judge(evidence), ElementsAre("frequency_changed"));

  evidence.counters->end.cpus[0].khz.reset();
  evidence.after->frequency_limits[0].max_khz = 2'400'000;
  EXPECT_THAT(judge(evidence), ElementsAre("frequency_changed"));
}

TEST(JudgeCounters, CountTimeThatWasTakenAway) {
  TrialEvidence evidence = quiet_trial();
  evidence.counters->end.cpus[1].steal_ms = 30;
  EXPECT_THAT(judge(evidence), ElementsAre("hypervisor_steal"));

  evidence = quiet_trial();
  evidence.counters->end.cpus[0].smis = 9;
  EXPECT_THAT(judge_trial(evidence)[0].text, HasSubstr("2 time(s)"));
  EXPECT_EQ(verdict_of(judge_trial(evidence)), Verdict::kPass);
}

TEST(JudgeCounters, AreNotFooledByACounterThatBeganAnew) {
  TrialEvidence evidence = quiet_trial();
  evidence.counters->begin.cpus[0].steal_ms = 500;
  evidence.counters->end.cpus[0].steal_ms = 10;
  EXPECT_THAT(judge(evidence), IsEmpty());
}

TEST(JudgeCounters, FindTasksThatGoBeforeTheProbe) {
  TrialEvidence evidence = quiet_trial();  // the probe has priority 90
  auto& tasks = evidence.counters->end.rt_tasks;
  tasks.push_back({.pid = 99, .name = "pulseaudio", .policy = "rr", .priority = 5});
  EXPECT_THAT(judge(evidence), IsEmpty());
  tasks.push_back({.pid = 100, .name = "greedy", .policy = "fifo", .priority = 90});
  const auto reasons = judge_trial(evidence);
  EXPECT_THAT(codes_of(reasons), ElementsAre("competing_rt_task"));
  EXPECT_THAT(reasons[0].text, HasSubstr("greedy (pid 100) runs at fifo priority 90"));
  tasks = {{.pid = 101, .name = "edf", .policy = "deadline", .priority = 0}};
  EXPECT_THAT(judge(evidence), ElementsAre("competing_rt_task"));
}

// The bound is 0.05 s and 1 % of 10 s, 200 switches and 20 a second for 10 s.
TEST(JudgeCounters, HoldTheSuiteToItsOwnBound) {
  TrialEvidence evidence = quiet_trial();
  evidence.counters->observer = ObserverCost{.wall_s = 10, .cpu_s = 0.15, .switches = 400};
  EXPECT_THAT(judge(evidence), IsEmpty());
  evidence.counters->observer->cpu_s = 0.16;
  EXPECT_THAT(judge(evidence), ElementsAre("observer_cost"));
  evidence.counters->observer->cpu_s = 0.01;
  evidence.counters->observer->preemptions = 1;
  EXPECT_THAT(judge(evidence), ElementsAre("observer_cost"));
}

TEST(JudgeCounters, WarnOfTaintAndOfLostEvents) {
  TrialEvidence evidence = quiet_trial();
  evidence.counters->end.tainted = 512;
  EXPECT_THAT(judge(evidence), ElementsAre("tainted"));
  evidence.counters->begin.trace_lost_events = 0;
  evidence.counters->end.trace_lost_events = 12;
  EXPECT_THAT(judge(evidence), ElementsAre("trace_lost_events", "tainted"));
  EXPECT_EQ(verdict_of(judge_trial(evidence)), Verdict::kPass);
}

TEST(JudgeHost, KnowsAVmThatStoodStill) {
  TrialEvidence evidence = good_trial();
  evidence.paused_s = 0.2;
  EXPECT_THAT(judge(evidence), ElementsAre("guest_paused"));
  evidence.paused_s = 0;
  evidence.waited_s = 0.4;  // 4 % of 10 s
  EXPECT_THAT(judge(evidence), IsEmpty());
  evidence.waited_s = 0.6;
  EXPECT_THAT(judge(evidence), ElementsAre("hypervisor_steal"));
}

TEST(JudgeState, KnowsAKernelThatChecksItself) {
  TrialEvidence evidence = good_trial();
  evidence.before->kernel_config = {{"DEBUG_LIST", "y"}, {"UBSAN", "y"}, {"KFENCE", "y"}};
  EXPECT_THAT(judge(evidence), IsEmpty());
  evidence.before->kernel_config["PROVE_LOCKING"] = "y";
  EXPECT_THAT(judge_trial(evidence)[0].text, HasSubstr("CONFIG_PROVE_LOCKING"));
  EXPECT_THAT(judge(evidence), ElementsAre("debug_kernel"));
}

TEST(ChangeSeverities, SaysWhoseOpinionItIs) {
  TrialEvidence evidence = good_trial();
  evidence.before->kernel_config = {{"KASAN", "y"}};
  auto reasons = judge_trial(evidence);
  change_severities(reasons, {{"debug_kernel", Severity::kWarning}});
  EXPECT_EQ(verdict_of(reasons), Verdict::kPass);
  EXPECT_THAT(reasons[0].text, HasSubstr("(The plan makes this warning instead of invalid.)"));
}

TEST(ChangeSeverities, CannotMakeANumberOfNone) {
  std::vector<Reason> reasons = {{.code = "kernel_panic", .severity = Severity::kError}};
  change_severities(reasons, {{"kernel_panic", Severity::kNote}});
  EXPECT_EQ(verdict_of(reasons), Verdict::kError);
}

}  // namespace
}  // namespace rtsweep
