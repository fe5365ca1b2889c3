// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trial_checks.h"

#include <gmock/gmock.h>

#include "tests/analysis/cyclictest_files.h"
#include "tests/analysis/good_trial.h"

namespace rtsweep {
namespace {

using testing::codes_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::good_trial;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judge;
using ::testing::Not;

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

  EXPECT_THAT(judge(evidence), ElementsAre("rt_throttled"));
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

TEST(JudgeTrial, IsInvalidWhenTheProbeWasKilled) {
  TrialEvidence evidence = good_trial();
  evidence.probe = ProbeEnding{.signal = 9};

  EXPECT_THAT(judge(evidence), ElementsAre("probe_killed"));
}

// cyclictest ends with exit code 0 after SIGTERM.
TEST(JudgeTrial, IsInvalidWhenTheProbeEndedBeforeItsTime) {
  TrialEvidence evidence = good_trial();
  evidence.probe = ProbeEnding{.wall_s = 4.2};

  const auto reasons = judge_trial(evidence);

  EXPECT_THAT(codes_of(reasons), ElementsAre("probe_killed"));
  EXPECT_THAT(reasons[0].text, HasSubstr("after 4.2 s of 10"));
}

TEST(JudgeTrial, IsAnErrorWhenTheDiskWasFull) {
  TrialEvidence evidence = good_trial();
  evidence.probe = ProbeEnding{.disk_full = true};
  EXPECT_THAT(judge(evidence), ElementsAre("disk_full"));

  evidence = without_result(TrialEnding::kFailed);
  evidence.ending_message = "write counters.json: No space left on device";
  EXPECT_THAT(judge(evidence), ElementsAre("disk_full"));
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
  evidence.after->numa_nodes.reset();

  const auto reasons = judge_trial(evidence);

  EXPECT_THAT(codes_of(reasons), ElementsAre("numa_not_effective"));
  EXPECT_THAT(reasons[0].text, HasSubstr("the kernel has no NUMA"));
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

}  // namespace
}  // namespace rtsweep
