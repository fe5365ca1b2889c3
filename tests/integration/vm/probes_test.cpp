// SPDX-License-Identifier: GPL-2.0-or-later

// The kernel's own tracers as probes, in real kernels.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/integration/vm/vm_run.h"

namespace rtsweep {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;
using ::testing::Contains;
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

// The running QEMU that has a directory in its command line; 0 when there is none.
pid_t emulator_in(const std::filesystem::path& directory) {
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ec)) {
    const auto command = read_file(entry.path() / "cmdline");
    if (!command || command->find("qemu-system") == std::string::npos) continue;
    if (command->find(directory.string()) == std::string::npos) continue;
    return std::stoi(entry.path().filename().string());
  }
  return 0;
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

// Threads of user space since Linux 6.5 (docs/probes.md): back in the kernel only after it.
TEST_F(VmRun, SaysWhenAThreadOfUserSpaceIsBackInTheKernel) {
  ASSERT_EQ(run(R"(
name = "user"
target = "vm"
clock = "virtual"
[measure]
probe = "timerlat"
duration = "3s"
[factors]
kernel = ["6.12-rt"]
arch = ["arm64"]
)",
                "user"),
            0)
      << log();

  const json trial = report("user").at("trials").at(0);
  const json thread = histogram(trial, "thread");
  const json user = histogram(trial, "user");
  EXPECT_NEAR(user.at("samples").get<double>(), 3009, 30);
  EXPECT_LT(histogram(trial, "irq").at("avg_us"), thread.at("avg_us"));
  EXPECT_LT(thread.at("avg_us"), user.at("avg_us"));
  EXPECT_EQ(trial.at("max_us"), thread.at("max_us"));
}

TEST_F(VmRun, SaysHowLongABusyThreadWasInterrupted) {
  ASSERT_EQ(run(plan_with("osnoise", "interval_us = 100000"), "noise"), 0) << log();
  const json trial = report("noise").at("trials").at(0);
  const json noise = histogram(trial, "noise");
  const json single = histogram(trial, "single");
  EXPECT_NEAR(noise.at("samples").get<double>(), 30, 2);
  EXPECT_GT(noise.at("max_us"), 0);
  EXPECT_LE(single.at("max_us"), noise.at("max_us"));
  // The tick interrupts it at least 100 times a second.
  EXPECT_GT(single.at("interruptions").at("irq").get<int>(), 250);
}

TEST_F(VmRun, FindsNoGapsInAMachineWhoseClockCountsInstructions) {
  ASSERT_EQ(run(plan_with("hwlat"), "gaps"), 0) << log();
  const json trial = report("gaps").at("trials").at(0);
  EXPECT_EQ(histogram(trial, "gap").at("samples"), 0);
  EXPECT_THAT(codes(trial), IsEmpty());
}

// A VM that is stopped from outside looks to its kernel like firmware that takes the CPU away
// for so long. Windows of 1 s, half of which the loop spins: a stop of 700 ms hits each.
TEST_F(VmRun, FindsTheGapOfAMachineThatIsStopped) {
  dir_.file("stopped.toml", R"(
name = "stopped"
target = "vm"
clock = "real"
[measure]
probe = "hwlat"
duration = "6s"
threshold_us = 300000
histogram_us = 1000000
[factors]
kernel = ["6.1-rt"]
arch = ["arm64"]
)");
  ChildProcess child = start({"run", path("stopped.toml"), "--out", path("stopped")});
  while (!child.wait(700ms).value()) {
    const pid_t emulator = emulator_in(path("stopped"));
    if (emulator == 0) continue;
    ::kill(emulator, SIGSTOP);
    std::this_thread::sleep_for(700ms);
    ::kill(emulator, SIGCONT);
  }

  const json trial = report("stopped").at("trials").at(0);
  const json gap = histogram(trial, "gap");
  EXPECT_THAT(codes(trial), Contains("guest_paused"));
  ASSERT_GT(gap.at("samples"), 0) << trial.dump(1);
  EXPECT_GE(gap.at("max_us"), 600'000);
}

}  // namespace
}  // namespace rtsweep
