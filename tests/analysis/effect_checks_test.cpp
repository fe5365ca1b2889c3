// SPDX-License-Identifier: GPL-2.0-or-later

// What a cell asked for, against what the machine shows.

#include <gmock/gmock.h>

#include "analysis/boot_parameter_effects.h"
#include "analysis/number_list.h"
#include "tests/analysis/good_trial.h"

namespace rtsweep {
namespace {

using testing::codes_of;
using ::testing::ElementsAre;
using testing::good_trial;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judge;

TEST(NumberList, IsReadAsTheKernelWritesIt) {
  EXPECT_EQ(parse_number_list("0-2,5"), (std::set<int>{0, 1, 2, 5}));
  EXPECT_EQ(parse_number_list(""), std::set<int>());
  EXPECT_EQ(parse_number_list("0-999999999"), std::nullopt);
  EXPECT_EQ(parse_number_list("0,,1"), std::nullopt);
  EXPECT_EQ(parse_number_list("-3"), std::nullopt);
}

// lib/cmdline.c, memparse(): K, M, G, T, P and E are powers of 1024.
TEST(Size, IsReadAsTheKernelReadsIt) {
  EXPECT_EQ(parse_size("4096"), 4096);
  EXPECT_EQ(parse_size("64M"), 67'108'864);
  EXPECT_EQ(parse_size("1g"), 1'073'741'824);
  EXPECT_EQ(parse_size("9999999999P"), std::nullopt);
  EXPECT_EQ(parse_size("M"), std::nullopt);
}

struct Effect {
  std::string parameter;
  MachineFacts good;
  MachineFacts bad;
};

class BootParameter : public ::testing::TestWithParam<Effect> {};

TEST_P(BootParameter, IsInvalidWithoutItsEffectOnly) {
  const Effect& effect = GetParam();
  TrialEvidence evidence = good_trial();
  evidence.boot_parameters = {effect.parameter};
  evidence.planned.cpus = {0, 1};
  const auto judged = [&](MachineFacts facts) {
    facts.cmdline = effect.parameter;
    facts.kernel_release = evidence.expected_release;
    facts.preempt_rt = true;
    evidence.before = facts;
    evidence.after = facts;
    return judge_trial(evidence);
  };

  EXPECT_THAT(codes_of(judged(effect.good)), IsEmpty());
  const auto reasons = judged(effect.bad);
  ASSERT_THAT(codes_of(reasons), ElementsAre("level_not_effective"));
  EXPECT_THAT(reasons[0].text, HasSubstr(effect.parameter));
}

// What each parameter does: Documentation/admin-guide/kernel-parameters.txt.
INSTANTIATE_TEST_SUITE_P(
    Each, BootParameter,
    ::testing::Values(
        Effect{"isolcpus=1", {.isolated_cpus = {1}}, {}},
        Effect{"isolcpus=domain,managed_irq,1", {.isolated_cpus = {1}}, {.isolated_cpus = {0}}},
        Effect{"nohz_full=1", {.nohz_full_cpus = {1}}, {}},
        Effect{"rcu_nocbs=1",
               {.kernel_config = {{"RCU_NOCB_CPU", "y"}}},
               {.kernel_config = {{"HZ", "250"}}}},
        Effect{"maxcpus=2", {.online_cpus = {0, 1}}, {.online_cpus = {0, 1, 2, 3}}},
        Effect{"mem=64M", {.mem_total_kib = 50'000}, {.mem_total_kib = 65'537}},
        Effect{"cma=64M", {.cma_total_kib = 65'536}, {.cma_total_kib = 0}},
        Effect{"hugepages=4", {.hugepages_total = 4}, {.hugepages_total = 3}},
        Effect{"transparent_hugepage=never",
               {.transparent_hugepages = "never"},
               {.transparent_hugepages = "always"}},
        Effect{"clocksource=hpet", {.clocksource = "hpet"}, {.clocksource = "tsc"}},
        Effect{"nosmt", {.smt = "off"}, {.smt = "on"}},
        Effect{"preempt=full", {.preemption = "full"}, {.preemption = "voluntary"}},
        Effect{"cpuidle.off=1", {}, {.idle_states = {{0, {{.name = "C6"}}}}}},
        Effect{"idle=poll", {}, {.idle_states = {{0, {{.name = "C6"}}}}}},
        Effect{"threadirqs",
               {.interrupts = {{"24", {.name = "eth0", .thread_priority = 50}}}},
               {.interrupts = {{"24", {.name = "eth0"}}}}},
        Effect{"cpufreq.default_governor=performance", {.governors = {{0, "performance"}}}, {}}));

TEST(BootParameterEffects, DoNotClaimWhatCannotBeKnown) {
  EXPECT_EQ(find_effect("quiet"), nullptr);
  EXPECT_EQ(find_effect("nosmt=force"), nullptr);
  TrialEvidence evidence = good_trial();
  for (const char* parameter : {"isolcpus=managed_irq,1", "rcu_nocbs=1", "preempt=full"}) {
    evidence.boot_parameters = {parameter};
    evidence.before->cmdline = evidence.after->cmdline = parameter;
    EXPECT_THAT(judge(evidence), IsEmpty()) << parameter;
  }
}

TEST(BootParameterEffects, AreThoseOfTheLastOneThatIsGiven) {
  TrialEvidence evidence = good_trial();
  evidence.boot_parameters = {"numa=fake=4", "numa=fake=2"};
  evidence.before->cmdline = evidence.after->cmdline = "numa=fake=4 numa=fake=2";
  EXPECT_THAT(judge(evidence), IsEmpty());
}

TEST(JudgeTrial, ComparesAgainAfterTheTrial) {
  TrialEvidence evidence = good_trial();
  evidence.after->numa_nodes = 1;

  const auto reasons = judge_trial(evidence);

  EXPECT_THAT(codes_of(reasons), ElementsAre("numa_not_effective"));
  EXPECT_THAT(reasons[0].text, HasSubstr("has 1 node(s) after the trial"));
}

// The words of mm/numa_emulation.c.
TEST(JudgeTrial, QuotesTheKernelOnAnEmulationThatItGaveUp) {
  const std::string line =
      "[    0.000000] cma: CMA linux,cma [0x3c000000-0x40000000] straddles range [0x0-0x3fffffff]";
  TrialEvidence evidence = good_trial();
  evidence.before->numa_nodes = 1;
  evidence.before->memory_log = {"[    0.000000] Faking a node at [mem 0x0-0x7fffffff]", line};

  EXPECT_THAT(judge_trial(evidence)[0].text, HasSubstr(line));
}

TEST(JudgeTrial, KnowsTheMachineOfEveryArchitecture) {
  TrialEvidence evidence = good_trial();
  for (const auto& [arch, machine] : std::map<std::string, std::string>{
           {"amd64", "x86_64"}, {"i386", "i686"}, {"arm64", "aarch64"}, {"armhf", "armv7l"}}) {
    evidence.arch = arch;
    evidence.before->machine = evidence.after->machine = machine;
    EXPECT_THAT(judge(evidence), IsEmpty()) << arch;
    evidence.before->machine = evidence.after->machine = "riscv64";
    EXPECT_THAT(judge(evidence), ElementsAre("level_not_effective")) << arch;
  }
}

TEST(JudgeTrial, IsInvalidWhen64BitProgramsMeasuredA32BitUserland) {
  TrialEvidence evidence = good_trial();
  evidence.userland = "32-bit";
  evidence.before->userland = evidence.after->userland = "64-bit";
  EXPECT_THAT(judge(evidence), ElementsAre("level_not_effective"));
}

TEST(JudgeTrial, IsInvalidWhenALoadsMemoryLiesElsewhere) {
  TrialEvidence evidence = good_trial();
  evidence.load_memory = "bind:1";
  evidence.load_numa_maps = {"aaaae000 bind:1 heap anon=3 dirty=3 N1=3\n"};
  EXPECT_THAT(judge(evidence), IsEmpty());

  evidence.load_numa_maps = {"aaaae000 default heap anon=3 dirty=3 N0=3\n"};
  const auto reasons = judge_trial(evidence);
  EXPECT_THAT(codes_of(reasons), ElementsAre("memory_policy_not_effective"));
  EXPECT_THAT(reasons[0].text, HasSubstr("load hackbench"));
}

}  // namespace
}  // namespace rtsweep
