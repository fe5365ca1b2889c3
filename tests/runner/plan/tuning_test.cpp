// SPDX-License-Identifier: GPL-2.0-or-later

#include <gmock/gmock.h>

#include "runner/plan/plan.h"
#include "runner/plan/tuning_keys.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::IsOk;

constexpr char kLocal[] = "target = \"local\"\n";

Result<Plan> plan_with(const std::string& tables) { return parse_plan(kLocal + tables, "p.toml"); }

// The error of a plan whose second line on are these.
std::string mistake(const std::string& tables) {
  const auto plan = plan_with(tables);
  return plan ? "none" : plan.error().message();
}

TEST(TuningTable, IsReadWithEveryKindOfValue) {
  const auto plan = plan_with(R"([tuning]
governor = "performance"
cpu_khz = 1500000
idle_states_disabled_over_us = 10
cpu_dma_latency_us = 0
sched_rt_runtime_us = -1
transparent_hugepages = "never"
numa_balancing = false
nmi_watchdog = false
ksm = false
timer_migration = true
irq_affinity = "0-1,3"
gpu_khz = 500000
devfreq_khz = { dmc = 800000 }
stop_services = ["irqbalance", "fstrim.timer"]
sysfs = { "/sys/class/net/eth0/queues/rx-0/rps_cpus" = "f" }
sysctl = { "vm.swappiness" = 10, kernel.panic = 5 }
)");

  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->tuning, (TuningSpec{.governor = "performance",
                                      .cpu_khz = 1'500'000,
                                      .idle_states_disabled_over_us = 10,
                                      .cpu_dma_latency_us = 0,
                                      .sched_rt_runtime_us = -1,
                                      .transparent_hugepages = "never",
                                      .numa_balancing = false,
                                      .nmi_watchdog = false,
                                      .ksm = false,
                                      .timer_migration = true,
                                      .irq_affinity = {0, 1, 3},
                                      .gpu_khz = 500'000,
                                      .devfreq_khz = {{"dmc", 800'000}},
                                      .stop_services = {"irqbalance.service", "fstrim.timer"},
                                      .sysfs = {{"/sys/class/net/eth0/queues/rx-0/rps_cpus", "f"}},
                                      .sysctl = {{"vm.swappiness", "10"}, {"kernel.panic", "5"}}}));
  EXPECT_TRUE(tunes(*plan));
}

TEST(TuningTable, RefusesAWrongWordWithItsPlaceAndTheNearestRightOne) {
  EXPECT_EQ(mistake("[tuning]\ngoverner = \"performance\"\n"),
            "p.toml:3:1: unknown key in [tuning] \"governer\"; did you mean \"governor\"?");
  EXPECT_EQ(mistake("[tuning]\ngovernor = \"perfomance\"\n"),
            "p.toml:3:12: governor: unknown governor \"perfomance\"; did you mean "
            "\"performance\"?");
  EXPECT_EQ(mistake("[measure]\ngovernor = \"performance\"\n"),
            "p.toml:3:1: unknown key \"governor\" in [measure]; it belongs in [tuning]");
}

TEST(TuningTable, RefusesValuesThatNoMachineTakes) {
  EXPECT_EQ(mistake("[tuning]\nnuma_balancing = 0\n"),
            "p.toml:3:18: numa_balancing: \"0\" is neither true nor false");
  EXPECT_EQ(mistake("[tuning]\ncpu_khz = 0\n"),
            "p.toml:3:11: cpu_khz: 0 is not between 1 and 100000000");
  EXPECT_EQ(mistake("[tuning]\ncpu_khz = [1]\n"),
            "p.toml:3:11: cpu_khz must be a string, a number, true or false, not an array");
  EXPECT_EQ(mistake("[tuning]\nsched_rt_runtime_us = 1.5\n"),
            "p.toml:3:23: sched_rt_runtime_us: \"1.5\" is no whole number");
  EXPECT_THAT(plan_with("[tuning]\nirq_affinity = \"x\"\n"),
              FailsWith(Errc::kInvalidPlan, "p.toml:3:16: irq_affinity: "));
  EXPECT_THAT(plan_with("[tuning]\nstop_services = \"--now\"\n"),
              FailsWith(Errc::kInvalidPlan, "\"--now\" is no name of a service"));
  EXPECT_THAT(plan_with("[tuning]\ndevfreq_khz = { \"../x\" = 1 }\n"),
              FailsWith(Errc::kInvalidPlan, "\"../x\" is no name of a device"));
}

TEST(TuningTable, RefusesFilesOutsideOfSysAndProcSys) {
  EXPECT_EQ(mistake("[tuning.sysfs]\n\"/etc/passwd\" = 1\n"),
            "p.toml:3:1: \"/etc/passwd\": only files below /sys and /proc/sys can be set");
  EXPECT_EQ(mistake("[tuning.sysfs]\n\"/sys/../etc/passwd\" = 1\n"),
            "p.toml:3:1: \"/sys/../etc/passwd\": a path with \"..\" is not taken");
  EXPECT_EQ(mistake("[tuning.sysctl]\n\"/etc\" = 1\n"),
            "p.toml:3:1: \"/etc\": a name such as \"kernel.panic\" is wanted");
  EXPECT_EQ(mistake("[tuning.sysctl]\n\"kernel.panic\" = \"\"\n"),
            "p.toml:3:18: \"kernel.panic\": the value is empty");
}

TEST(TuningFactor, MakesACellOfEachLevelOnTopOfTheTable) {
  const auto plan = plan_with(R"([tuning]
governor = "powersave"
ksm = false
[factors]
tuning.governor = ["performance", ""]
)");
  ASSERT_THAT(plan, IsOk());
  EXPECT_TRUE(tunes(*plan));

  std::vector<std::string> governors;
  for (const PlannedTrial& trial : order_trials(*plan)) {
    const TuningSpec spec = tuning_of(*plan, trial.cell);
    EXPECT_EQ(spec.ksm, false);
    governors.push_back(*spec.governor);
  }
  EXPECT_THAT(governors, ::testing::UnorderedElementsAre("performance", "powersave"));
}

TEST(TuningFactor, CanBeExcludedWithOthers) {
  const auto plan = plan_with(R"([factors]
load = ["idle", "cpu"]
tuning.governor = ["performance", "schedutil"]
"tuning.ksm" = "false"
[[exclude]]
load = "cpu"
tuning.governor = "schedutil"
)");
  ASSERT_THAT(plan, IsOk());

  EXPECT_EQ(plan->exclude,
            (std::vector<Cell>{{{"load", "cpu"}, {"tuning.governor", "schedutil"}}}));
  EXPECT_EQ(order_trials(*plan).size(), 3u);
}

TEST(TuningFactor, RefusesWrongLevelsAndKeys) {
  EXPECT_EQ(mistake("[factors]\ntuning.governor = [\"performance\", \"turbo\"]\n"),
            "p.toml:3:35: unknown governor \"turbo\"; there are: performance, powersave, "
            "schedutil, ondemand, conservative, userspace");
  EXPECT_THAT(plan_with("[factors]\ntuning.stop_services = [\"a\"]\n"),
              FailsWith(Errc::kInvalidPlan, "p.toml:3:8: unknown factor \"tuning.stop_services\""));
}

}  // namespace
}  // namespace rtsweep
