// SPDX-License-Identifier: GPL-2.0-or-later

// The kernel's own tracers as probes, in real kernels.

#include <fmt/format.h>

#include <algorithm>

#include "tests/integration/vm/vm_run.h"

namespace rtsweep {
namespace {

using nlohmann::json;
using ::testing::IsEmpty;
using testing::VmRun;

std::string plan_with(const std::string& probe, const std::string& more = "") {
  return fmt::format(R"(
name = "{0}"
target = "vm"
clock = "virtual"
[measure]
probe = "{0}"
duration = "3s"
{1}
[factors]
kernel = ["6.1-rt"]
arch = ["arm64"]
)",
                     probe, more);
}

const json& histogram(const json& trial, const std::string& kind) {
  const auto& all = trial.at("histograms");
  const auto found =
      std::ranges::find_if(all, [&](const json& one) { return one.at("kind") == kind; });
  EXPECT_NE(found, all.end()) << "no " << kind << " in " << trial.dump(1);
  return *found;
}

TEST_F(VmRun, SplitsAWakeupIntoInterruptAndThreadAndRepeatsItExactly) {
  ASSERT_EQ(run(plan_with("timerlat"), "one"), 0) << log();
  ASSERT_EQ(run(plan_with("timerlat"), "two"), 0) << log();

  const json trial = report("one").at("trials").at(0);
  EXPECT_EQ(trial.at("probe"), "timerlat");
  const json irq = histogram(trial, "irq");
  const json thread = histogram(trial, "thread");
  // 3 s / 997 us.
  EXPECT_NEAR(thread.at("samples").get<double>(), 3009, 30);
  EXPECT_NEAR(irq.at("samples").get<double>(), 3009, 30);
  EXPECT_LT(irq.at("avg_us"), thread.at("avg_us"));
  EXPECT_EQ(trial.at("max_us"), thread.at("max_us"));
  const auto raw = [this](const char* name) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path(name))) {
      if (entry.path().filename() == "timerlat.json") return read_file(entry.path()).value();
    }
    return std::string();
  };
  EXPECT_FALSE(raw("one").empty());
  EXPECT_EQ(raw("one"), raw("two"));
}

TEST_F(VmRun, SaysHowLongABusyThreadWasInterrupted) {
  ASSERT_EQ(run(plan_with("osnoise", "interval_us = 100000"), "noise"), 0) << log();
  const json trial = report("noise").at("trials").at(0);
  const json noise = histogram(trial, "noise");
  const json single = histogram(trial, "single");
  EXPECT_NEAR(noise.at("samples").get<double>(), 30, 2);
  EXPECT_GT(noise.at("max_us"), 0);
  EXPECT_LE(single.at("max_us"), noise.at("max_us"));
}

TEST_F(VmRun, FindsNoGapsInAMachineWhoseClockCountsInstructions) {
  ASSERT_EQ(run(plan_with("hwlat"), "gaps"), 0) << log();
  const json trial = report("gaps").at("trials").at(0);
  EXPECT_EQ(histogram(trial, "gap").at("samples"), 0);
  EXPECT_THAT(codes(trial), IsEmpty());
}

}  // namespace
}  // namespace rtsweep
