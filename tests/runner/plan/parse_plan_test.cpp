// SPDX-License-Identifier: GPL-2.0-or-later

#include <gmock/gmock.h>

#include "runner/plan/plan.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::Pair;
using namespace std::chrono_literals;  // NOLINT: for 2h

constexpr char kSmallest[] = R"([factors]
kernel = ["6.1-rt"]
arch = ["arm64"]
)";

// The error of a plan that must be refused.
std::string refusal_of(std::string_view text) {
  const auto plan = parse_plan(text, "p.toml");
  if (plan) return "it was accepted";
  EXPECT_EQ(plan.error().code(), Errc::kInvalidPlan);
  return plan.error().message();
}

// kSmallest with more lines above its tables, and behind them.
std::string above(const std::string& lines) { return lines + "\n" + kSmallest; }
std::string behind(const std::string& lines) { return kSmallest + lines; }

TEST(ParsePlan, FillsInEveryDefault) {
  const auto plan = parse_plan(kSmallest, "plans/night-run.toml");

  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->name, "night-run");
  EXPECT_EQ(plan->target, "vm");
  EXPECT_TRUE(plan->virtual_clock);
  EXPECT_EQ(plan->seed, 1u);
  EXPECT_EQ(plan->repetitions, 1);
  EXPECT_EQ(plan->budget, std::nullopt);
  EXPECT_EQ(plan->probe, "cyclictest");
  EXPECT_EQ(plan->interval_us, 997);
  EXPECT_EQ(plan->priority, 90);
  EXPECT_EQ(plan->duration_s, 10);
  EXPECT_EQ(plan->limit_us, std::nullopt);
  EXPECT_TRUE(plan->expect_rt);
  EXPECT_EQ(plan->rt_tests, "bookworm");
  EXPECT_THAT(plan->factors, ElementsAre(Factor{"kernel", {"6.1-rt"}}, Factor{"arch", {"arm64"}},
                                         Factor{"load", {"idle"}}));
  EXPECT_EQ(plan->vm_cpus, 1);
  EXPECT_EQ(plan->boot_timeout, 180s);
  EXPECT_EQ(plan->trial_timeout, 1800s);
}

TEST(ParsePlan, ReadsEveryKey) {
  const auto plan = parse_plan(R"(
name = "rt-32-vs-64"
target = "vm"
clock = "real"
seed = 7
repetitions = 3
budget = "1h30m"
rt_tests = "trixie"

[measure]
probe = "cyclictest"
interval_us = 250
priority = 80
duration = "2m"
histogram_us = 400
limit_us = 150
breakpoint_us = 200
expect_rt = false

[factors]
kernel = ["6.1-rt", "mine"]
arch = ["arm64", "armhf"]
userland = ["native", "32-bit"]
cmdline = ["", "numa=fake=4"]
load = ["idle", "cpu+sd-write"]
probe_memory = ["default", "bind:0"]
load_memory = ["interleave:all"]

[loads.hackbench]
groups = 3
ipc = "socket"
floor_per_s = 100
cpus = "0,2-3"

[[exclude]]
kernel = "mine"
load = "cpu+sd-write"

[kernels.mine]
arch = "arm64"
image = "boot/Image"
modules = "/lib/modules/6.12.1-mine"

[vm]
memory_mib = 1024
cpus = 4
jobs = 2
boot_timeout = "60s"
trial_timeout = "10m"
)",
                               "lab/p.toml");

  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->name, "rt-32-vs-64");
  EXPECT_FALSE(plan->virtual_clock);
  EXPECT_EQ(plan->seed, 7u);
  EXPECT_EQ(plan->repetitions, 3);
  EXPECT_EQ(plan->budget, 5400s);
  EXPECT_EQ(plan->rt_tests, "trixie");
  EXPECT_EQ(plan->interval_us, 250);
  EXPECT_EQ(plan->priority, 80);
  EXPECT_EQ(plan->duration_s, 120);
  EXPECT_EQ(plan->histogram_us, 400);
  EXPECT_EQ(plan->limit_us, 150);
  EXPECT_EQ(plan->capture.breakpoint_us, 200);
  EXPECT_FALSE(plan->expect_rt);
  ASSERT_EQ(plan->factors.size(), 7u);
  EXPECT_EQ(plan->factors[3], (Factor{"cmdline", {"", "numa=fake=4"}}));
  EXPECT_THAT(plan->exclude, ElementsAre(Cell{{"kernel", "mine"}, {"load", "cpu+sd-write"}}));
  const LoadSettings& hackbench = plan->loads.at("hackbench");
  EXPECT_THAT(hackbench.options, ElementsAre(Pair("groups", "3"), Pair("ipc", "socket")));
  EXPECT_THAT(hackbench.cpus, ElementsAre(0, 2, 3));
  EXPECT_EQ(hackbench.floor_per_s, 100.0);
  EXPECT_EQ(plan->kernels.at("mine").image, "lab/boot/Image");
  EXPECT_EQ(plan->kernels.at("mine").modules, "/lib/modules/6.12.1-mine");
  EXPECT_EQ(plan->kernels.at("mine").config, "");
  EXPECT_EQ(plan->vm_memory_mib, 1024);
  EXPECT_EQ(plan->vm_cpus, 4);
  EXPECT_EQ(plan->vm_jobs, 2);
  EXPECT_EQ(plan->boot_timeout, 60s);
  EXPECT_EQ(plan->trial_timeout, 600s);
}

TEST(ParsePlan, KeepsFactorsInTheOrderOfTheFile) {
  const auto plan =
      parse_plan("[factors]\nload = [\"cpu\"]\narch = [\"i386\"]\nkernel = \"6.1\"\n", "p.toml");

  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->factors, ElementsAre(Factor{"load", {"cpu"}}, Factor{"arch", {"i386"}},
                                         Factor{"kernel", {"6.1"}}));
}

TEST(ParsePlan, ExcludesEveryCombinationOfTheLevelsInOneRule) {
  const auto plan = parse_plan(R"(
[factors]
kernel = ["6.1-rt", "6.1"]
arch = ["arm64", "armhf"]
load = ["idle", "cpu", "hackbench"]
[[exclude]]
kernel = "6.1"
load = ["idle", "cpu"]
)",
                               "p.toml");

  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->exclude, ElementsAre(Cell{{"kernel", "6.1"}, {"load", "idle"}},
                                         Cell{{"kernel", "6.1"}, {"load", "cpu"}}));
}

TEST(ParsePlan, MeasuresTheRunningKernelInRealTimeOnTargetLocal) {
  const auto plan = parse_plan("target = \"local\"\n", "p.toml");

  ASSERT_THAT(plan, IsOk());
  EXPECT_FALSE(plan->virtual_clock);
  EXPECT_THAT(plan->factors, ElementsAre(Factor{"load", {"idle"}}));
}

TEST(ParsePlan, TakesTheArchitectureFromAKernelGivenByPath) {
  const auto plan = parse_plan(
      "[factors]\nkernel = [\"mine\"]\n[kernels.mine]\narch = \"armhf\"\nimage = \"zImage\"\n",
      "p.toml");

  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(kernel_arch(*plan, {{"kernel", "mine"}}), "armhf");
}

// Each mistake: the text, and what the refusal must say, with its place.
struct Mistake {
  const char* what;
  std::string text;
  const char* expected;
};

std::string what_of(const ::testing::TestParamInfo<Mistake>& mistake) { return mistake.param.what; }

class PlanMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(PlanMistake, IsRefusedWithItsPlaceAndTheRightWord) {
  EXPECT_THAT(refusal_of(GetParam().text), HasSubstr(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    Words, PlanMistake,
    ::testing::Values(
        Mistake{"key", above("sed = 3"), "p.toml:1:1: unknown key \"sed\"; did you mean \"seed\"?"},
        Mistake{"section", above("[mesure]\n"),
                "p.toml:1:2: unknown key \"mesure\"; did you mean \"measure\"?"},
        Mistake{"key_in_section", behind("[measure]\nintervall_us = 3\n"),
                "p.toml:5:1: unknown key in [measure] \"intervall_us\"; did you mean "
                "\"interval_us\"?"},
        Mistake{"key_in_wrong_section", behind("[measure]\nseed = 3\n"),
                "p.toml:5:1: unknown key \"seed\" in [measure]; it belongs above the first "
                "[table]"},
        Mistake{"key_above_its_section", above("limit_us = 3"),
                "p.toml:1:1: unknown key \"limit_us\"; it belongs in [measure]"},
        Mistake{"factor", behind("lod = [\"idle\"]\n"),
                "p.toml:4:1: unknown factor \"lod\"; did you mean \"load\"?"},
        Mistake{"far_factor", behind("colour = [\"red\"]\n"),
                "p.toml:4:1: unknown factor \"colour\"; there are: kernel, arch, userland,"},
        Mistake{"load", behind("load = [\"idle\", \"hackbensh\"]\n"),
                "p.toml:4:17: unknown load \"hackbensh\"; did you mean \"hackbench\"?"},
        Mistake{"joined_load", behind("load = [\"cpu+sdwrite\"]\n"),
                "p.toml:4:9: unknown load \"sdwrite\"; did you mean \"sd-write\"?"},
        Mistake{"load_table", behind("[loads.hackbensh]\ngroups = 3\n"),
                "p.toml:4:8: unknown load \"hackbensh\"; did you mean \"hackbench\"?"},
        Mistake{"load_option", behind("[loads.hackbench]\ngroup = 3\n"),
                "p.toml:5:1: unknown option of load hackbench \"group\"; did you mean \"groups\"?"},
        Mistake{"arch", "[factors]\nkernel = [\"6.1\"]\narch = [\"arm46\"]\n",
                "p.toml:3:9: unknown architecture \"arm46\"; did you mean \"arm64\"?"},
        Mistake{"userland", behind("userland = [\"32bit\"]\n"),
                "p.toml:4:13: unknown userland \"32bit\"; did you mean \"32-bit\"?"},
        Mistake{"memory", behind("probe_memory = [\"bnd:0\"]\n"),
                "p.toml:4:17: unknown memory policy \"bnd\"; did you mean \"bind\"?"},
        Mistake{"target", above("target = \"mv\""), "p.toml:1:10: unknown target \"mv\""},
        Mistake{"clock", above("clock = \"virtal\""),
                "p.toml:1:9: unknown clock \"virtal\"; did you mean \"virtual\"?"},
        Mistake{"probe", behind("[measure]\nprobe = \"cyclitest\"\n"),
                "p.toml:5:9: unknown probe \"cyclitest\"; did you mean \"cyclictest\"?"},
        Mistake{"rt_tests", above("rt_tests = \"bokworm\""),
                "p.toml:1:12: unknown rt_tests \"bokworm\"; did you mean \"bookworm\"?"},
        Mistake{"kernel_key", behind("[kernels.m]\narch = \"arm64\"\nimgae = \"x\"\n"),
                "p.toml:6:1: unknown key of a kernel \"imgae\"; did you mean \"image\"?"},
        Mistake{"excluded_level", behind("[[exclude]]\narch = \"arm46\"\n"),
                "p.toml:5:8: unknown level of arch \"arm46\"; did you mean \"arm64\"?"},
        Mistake{"excluded_factor", behind("[[exclude]]\nload = \"idle\"\n"),
                "p.toml:5:1: unknown factor \"load\"; there are: kernel, arch (of this plan)"}),
    what_of);

INSTANTIATE_TEST_SUITE_P(
    Values, PlanMistake,
    ::testing::Values(
        Mistake{"string_for_integer", behind("[measure]\npriority = \"90\"\n"),
                "p.toml:5:12: priority must be an integer, not a string"},
        Mistake{"fraction_for_integer", above("repetitions = 1.5"),
                "p.toml:1:15: repetitions must be an integer, not a number with a fraction"},
        Mistake{"integer_for_duration", behind("[measure]\nduration = 10\n"),
                "p.toml:5:12: duration must be a duration in quotes such as \"10s\", not an "
                "integer"},
        Mistake{"string_for_bool", behind("[measure]\nexpect_rt = \"yes\"\n"),
                "p.toml:5:13: expect_rt must be true or false, not a string"},
        Mistake{"number_level", "[factors]\nkernel = [6.1]\n",
                "p.toml:2:11: a level of kernel must be a string, not a number with a fraction"},
        Mistake{"table_for_factors", "factors = 3\n",
                "p.toml:1:11: factors must be a table: [factors], not an integer"},
        Mistake{"single_exclude", behind("[exclude]\narch = \"arm64\"\n"),
                "p.toml:4:1: exclude must be an array of tables: [[exclude]], not a table"},
        Mistake{"priority_0", behind("[measure]\npriority = 0\n"),
                "p.toml:5:12: priority must be between 1 and 99, not 0"},
        Mistake{"priority_100", behind("[measure]\npriority = 100\n"),
                "priority must be between 1 and 99, not 100"},
        Mistake{"interval_0", behind("[measure]\ninterval_us = 0\n"),
                "interval_us must be between 1 and 1000000, not 0"},
        Mistake{"negative_seed", above("seed = -1"), "p.toml:1:8: seed must be at least 0, not -1"},
        Mistake{"no_repetition", above("repetitions = 0"),
                "repetitions must be between 1 and 10000, not 0"},
        Mistake{"duration_0", behind("[measure]\nduration = \"0s\"\n"),
                "p.toml:5:12: duration must be more than nothing"},
        Mistake{"bad_duration", behind("[measure]\nduration = \"10\"\n"),
                "p.toml:5:12: bad duration \"10\": it has no unit"},
        Mistake{"bad_budget", above("budget = \"2 hours\""), "p.toml:1:10: bad budget \"2 hours\""},
        Mistake{"empty_factor", behind("load = []\n"), "p.toml:4:8: factor \"load\" has no level"},
        Mistake{"level_twice", behind("load = [\"cpu\", \"idle\", \"cpu\"]\n"),
                "p.toml:4:24: load \"cpu\" stands twice"},
        Mistake{"load_twice", behind("load = [\"cpu+cpu\"]\n"),
                "p.toml:4:9: load \"cpu\" stands twice"},
        Mistake{"joined_idle", behind("load = [\"cpu+idle\"]\n"),
                "p.toml:4:9: \"idle\" cannot be joined"},
        Mistake{"negative_floor", behind("[loads.cpu]\nfloor_per_s = -1\n"),
                "p.toml:5:15: floor_per_s must be a number from 0 on, not -1"},
        Mistake{"bad_cpus", behind("[loads.cpu]\ncpus = \"1-\"\n"),
                "p.toml:5:8: cpus: \"1-\" is no list of numbers"},
        Mistake{"huge_cpus", behind("[loads.cpu]\ncpus = \"0-2147483647\"\n"),
                "p.toml:5:8: cpus: \"0-2147483647\" is no list of numbers"},
        Mistake{"name_with_slash", above("name = \"../x\""), "p.toml:1:8: name \"../x\" must be"},
        Mistake{"control_character", behind("cmdline = [\"a\\u001b[31m\"]\n"),
                "p.toml:4:12: a level of cmdline has a control character: \"a\\x1b[31m\""},
        Mistake{"kernel_without_image", behind("[kernels.m]\narch = \"arm64\"\n"),
                "p.toml:4:10: kernel \"m\" needs its image"},
        Mistake{"empty_exclude", behind("[[exclude]]\n"),
                "p.toml:4:1: an [[exclude]] without a level"},
        Mistake{"syntax", "a = 1\n[measure\n", "p.toml:2:"},
        Mistake{"key_twice", above("seed = 1\nseed = 2"), "p.toml:2:"}),
    what_of);

INSTANTIATE_TEST_SUITE_P(
    Combinations, PlanMistake,
    ::testing::Values(
        Mistake{"virtual_local", "target = \"local\"\nclock = \"virtual\"\n",
                "p.toml:2:9: clock \"virtual\" needs target \"vm\""},
        Mistake{"virtual_smp", behind("[vm]\ncpus = 2\n"),
                "p.toml:5:8: virtual time needs one CPU, not 2"},
        Mistake{"local_kernel", "target = \"local\"\n[factors]\nkernel = [\"6.1-rt\"]\n",
                "p.toml:3:10: factor \"kernel\" needs a target that boots kernels; target "
                "\"local\" measures the running one"},
        Mistake{"vm_without_kernel", "[factors]\nload = [\"idle\"]\n",
                "p.toml:1:1: target \"vm\" needs the factor \"kernel\""},
        Mistake{"vm_without_arch", "[factors]\nkernel = [\"6.1-rt\"]\n",
                "p.toml:1:1: kernel \"6.1-rt\" needs the factor \"arch\""},
        Mistake{"cpu_beyond_the_vm", behind("[loads.cpu]\ncpus = \"1\"\n"),
                "p.toml:5:8: there is no CPU 1: the VM has 1 (vm.cpus)"},
        Mistake{"timeout_before_the_end", above("clock = \"real\"\nmeasure.duration = \"1h\""),
                "p.toml:2:20: trial_timeout 30m ends a trial before its duration of 1h is over"},
        Mistake{"everything_excluded", behind("[[exclude]]\narch = \"arm64\"\n"),
                "every cell is excluded"}),
    what_of);

TEST(ParsePlan, TellsEveryMistakeInTheOrderOfTheFile) {
  const std::string refusal = refusal_of("sed = 1\nclock = 3\n[factors]\nlod = [\"idle\"]\n");

  EXPECT_EQ(refusal,
            "p.toml:1:1: unknown key \"sed\"; did you mean \"seed\"?\n"
            "p.toml:2:9: clock must be a string, not an integer\n"
            "p.toml:4:1: unknown factor \"lod\"; did you mean \"load\"?");
}

TEST(ParsePlan, TellsTenMistakesAtMost) {
  std::string text;
  for (int i = 0; i < 14; ++i) text += "unknown" + std::to_string(i) + " = 1\n";

  EXPECT_THAT(refusal_of(text), ::testing::EndsWith("\nand 4 more"));
}

TEST(ParsePlan, RefusesMoreTrialsThanAnybodyCanWaitFor) {
  std::string levels;
  for (int i = 0; i < 999; ++i) levels += "\"k" + std::to_string(i) + "\",";

  EXPECT_THAT(
      refusal_of("repetitions = 10000\n[factors]\narch = \"arm64\"\nkernel = [" + levels + "]\n"),
      HasSubstr("p.toml:2:1: more than 100000 trials"));
}

TEST(ParsePlan, TakesTheProbesOwnInterval) {
  EXPECT_EQ(parse_plan(behind("[measure]\nprobe = \"osnoise\"\n"), "p.toml")->interval_us,
            1'000'000);
  EXPECT_EQ(parse_plan(behind("[measure]\nprobe = \"hwlat\"\ninterval_us = 5000\n"), "p.toml")
                ->interval_us,
            5000);
}

TEST(ParsePlan, WantsBusyUsWithinAnInterval) {
  const std::string half = "[measure]\nprobe = \"hwlat\"\ninterval_us = 1000\nbusy_us = ";

  EXPECT_THAT(parse_plan(behind(half + "1000\n"), "p.toml"), IsOk());
  EXPECT_THAT(refusal_of(behind(half + "1001\n")),
              HasSubstr("p.toml:7:11: busy_us 1001 is more than interval_us 1000"));
}

TEST(ParsePlan, RefusesWhatAProbeDoesNotHave) {
  EXPECT_THAT(refusal_of(behind("[measure]\nthreshold_us = 5\n")),
              HasSubstr("threshold_us is of osnoise and hwlat; cyclictest does not have it"));
  EXPECT_THAT(refusal_of(behind("[measure]\nprobe = \"timerlat\"\nbreakpoint_us = 90\n"
                                "[capture]\nkeep_worst = 1\n")),
              HasSubstr("[capture] keeps traces of cyclictest's outliers"));
}

TEST(ParsePlan, RefusesAPriorityWhereTheProbesThreadIsAnOrdinaryOne) {
  EXPECT_THAT(refusal_of(behind("[measure]\nprobe = \"hwlat\"\npriority = 80\n")),
              HasSubstr("p.toml:6:12: priority is of cyclictest and timerlat"));
}

TEST(ParsePlan, TakesTheCpusToMeasureAndRefusesThoseThatTheVmLacks) {
  const std::string two = "[vm]\ncpus = 2\n[measure]\ncpus = ";
  const std::string real = "clock = \"real\"\n";

  EXPECT_THAT(parse_plan(real + behind(two + "\"0-1\"\n"), "p.toml")->cpus,
              ::testing::ElementsAre(0, 1));
  EXPECT_THAT(refusal_of(real + behind(two + "\"1-2\"\n")),
              HasSubstr("there is no CPU 2: the VM has 2"));
  EXPECT_THAT(refusal_of(behind("[measure]\ncpus = \"a\"\n")),
              HasSubstr("cpus: \"a\" is no list of numbers"));
}

}  // namespace
}  // namespace rtsweep
