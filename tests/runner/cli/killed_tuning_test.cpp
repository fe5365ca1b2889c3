// SPDX-License-Identifier: GPL-2.0-or-later

// Runs that tune a fake machine, killed at random moments: after the next start the
// machine is what it was, file by file.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <random>

#include "runner/base/child_process.h"
#include "runner/base/command.h"
#include "runner/base/files.h"
#include "runner/host/undo_list.h"
#include "tests/support/fake_host.h"
#include "tests/support/file_tree.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
using testing::content_of_tree;
using testing::FakeHost;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr char kPlan[] = R"(
name = "fake"
target = "local"
repetitions = 2
[measure]
interval_us = 1000
duration = "10s"
[tuning]
cpu_khz = 1500000
idle_states_disabled_over_us = 10
sched_rt_runtime_us = -1
irq_affinity = "0"
stop_services = ["irqbalance"]
sysctl = { "kernel.panic" = 10 }
[factors]
load = ["idle"]
tuning.governor = ["performance", "powersave"]
)";

// A systemctl of one service, whose state is a file of the fake machine. It starts no
// programs, which could outlive it.
constexpr char kSystemctl[] = R"(#!/bin/sh
service=$FAKE_ROOT/run/irqbalance
case $1 in
  show) read state < $service; echo LoadState=loaded; echo ActiveState=$state ;;
  stop) echo inactive > $service ;;
  start) echo active > $service ;;
esac
)";

void fill(FakeHost& host) {
  host.file("proc/sys/kernel/random/boot_id", "boot-1").file("run/systemd/system/units", "");
  host.file("run/irqbalance", "active\n").file("sys/devices/system/cpu/online", "0-1");
  for (int cpu = 0; cpu < 2; ++cpu) {
    const std::string policy = fmt::format("sys/devices/system/cpu/cpufreq/policy{}/", cpu);
    host.file(policy + "scaling_governor", "schedutil")
        .file(policy + "scaling_min_freq", "600000")
        .file(policy + "scaling_max_freq", "1800000");
    const std::string idle = fmt::format("sys/devices/system/cpu/cpu{}/cpuidle/state1/", cpu);
    host.file(idle + "latency", "100").file(idle + "disable", "0");
  }
  host.file("proc/sys/kernel/sched_rt_runtime_us", "950000").file("proc/sys/kernel/panic", "0");
  host.file("proc/irq/default_smp_affinity", "3");
  for (int irq = 20; irq < 30; ++irq) {
    host.file(fmt::format("proc/irq/{}/smp_affinity_list", irq), "0-1");
  }
}

class KilledTuning : public ::testing::Test {
 protected:
  // A kill, unlike a power cut, leaves what was written: no disk is needed, whose fsync may
  // take a second where others write too.
  static void SetUpTestSuite() {
    if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);
  }

  KilledTuning() {
    fill(host_);
    dir_.file("plan.toml", kPlan).file("bin/systemctl", kSystemctl);
    ::chmod(dir_.root().path("bin/systemctl").c_str(), 0755);
    run_ = dir_.root().path("run");
    before_ = machine();
    ::setenv("FAKE_ROOT", host_.root().path("").c_str(), 1);
    ::setenv("RTSWEEP_STATE", state().c_str(), 1);
    path_ = std::getenv("PATH");
    ::setenv("PATH", (dir_.root().path("bin").string() + ":" + path_).c_str(), 1);
  }
  ~KilledTuning() override {
    ::setenv("PATH", path_.c_str(), 1);
    for (const char* name : {"FAKE_ROOT", "RTSWEEP_STATE"}) ::unsetenv(name);
  }

  fs::path state() const { return dir_.root().path("state"); }
  std::map<std::string, std::string> machine() const {
    return content_of_tree(host_.root().path(""));
  }

  ChildProcess start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), RTSWEEP_FAKE_PROGRAM);
    return std::move(ChildProcess::start(arguments, {.output = dir_.root().path("log")}).value());
  }
  ChildProcess begin() {
    return start({"run", dir_.root().path("plan.toml"), "--out", run_.string()});
  }
  // Goes on with the run, or with another one when this one is deleted.
  ChildProcess next_start() {
    return fs::exists(run_ / "run.json") ? start({"resume", run_.string()}) : begin();
  }
  void delete_run() { fs::remove_all(run_); }
  std::string log() const { return read_file(dir_.root().path("log")).value(); }

  FakeHost host_;
  FakeHost dir_;
  fs::path run_;
  std::map<std::string, std::string> before_;
  std::string path_;
};

TEST_F(KilledTuning, LeavesNothingAfter100KillsAndTheNextStart) {
  // Kills fall anywhere into a run, however long one takes on this machine.
  const auto begun = std::chrono::steady_clock::now();
  ASSERT_TRUE(begin().wait());
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begun);
  std::mt19937 random(20261130);
  std::uniform_int_distribution<int> delay_ms(1, std::max<int>(2, static_cast<int>(whole.count())));
  int kills = 0;
  int tuned = 0;  // that left the machine changed: else this test would prove nothing
  while (kills < 100 || (tuned < 20 && kills < 1000)) {
    delete_run();
    ChildProcess runner = begin();
    // One kill, or several in a row: also one that hits the undoing.
    do {
      const auto status = runner.wait(std::chrono::milliseconds(delay_ms(random)));
      ASSERT_TRUE(status);
      if (*status) break;
      ASSERT_TRUE(runner.stop(SIGKILL, 0ms));
      ++kills;
      tuned += machine() == before_ ? 0 : 1;
      if (random() % 2 == 0) delete_run();
      runner = next_start();
    } while (random() % 3 == 0);

    const auto last = runner.wait(60s);
    ASSERT_TRUE(last && *last);
    // 1 where a trial was cut short, 0 where none was.
    ASSERT_EQ((*last)->signal, 0) << log();
    ASSERT_EQ(machine(), before_) << "after kill " << kills;
    ASSERT_FALSE(UndoList::left_in(state()));
  }
  EXPECT_GE(tuned, 20);
  EXPECT_THAT(log(), HasSubstr("undid the tuning of an earlier run: "));
}

TEST_F(KilledTuning, IsUndoneByAPlanThatTunesNothing) {
  ChildProcess runner = begin();
  while (machine() == before_) std::ignore = runner.wait(1ms);
  ASSERT_TRUE(runner.stop(SIGKILL, 0ms));
  delete_run();
  dir_.file("plan.toml", "target = \"local\"\n[factors]\nload = [\"idle\"]\n");

  ASSERT_TRUE(begin().wait());

  EXPECT_EQ(machine(), before_);
  EXPECT_THAT(log(), HasSubstr("undid the tuning of an earlier run: "));
}

TEST_F(KilledTuning, IsNotNeededAfterSigterm) {
  ChildProcess runner = begin();
  while (machine() == before_) std::ignore = runner.wait(1ms);
  ::kill(runner.pid(), SIGTERM);
  EXPECT_EQ((*runner.wait())->signal, 0);

  EXPECT_EQ(machine(), before_);
  EXPECT_FALSE(UndoList::left_in(state()));
}

TEST_F(KilledTuning, IsNotDoneToARunnerThatIsAlive) {
  SystemCommands commands;
  auto other = UndoList::open(host_.root(), commands, state());
  ASSERT_TRUE(other);
  ASSERT_TRUE(other->remember({{.name = "proc/sys/kernel/panic", .old = "0"}}));
  host_.file("proc/sys/kernel/panic", "5");

  const auto second = begin().wait();

  EXPECT_EQ((*second)->text(), "exit code 1");
  EXPECT_THAT(log(), HasSubstr("another rtsweep tunes this machine"));
  EXPECT_EQ(host_.root().read("proc/sys/kernel/panic").value(), "5");
}

}  // namespace
}  // namespace rtsweep
