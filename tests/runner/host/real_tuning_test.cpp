// SPDX-License-Identifier: GPL-2.0-or-later

// Tuning of this very machine, put back at once. Skipped where it may not be tuned.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "runner/base/command.h"
#include "runner/base/unique_fd.h"
#include "runner/host/cpu_list.h"
#include "runner/host/tuning.h"
#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::FakeHost;
using testing::IsOk;
namespace fs = std::filesystem;

bool can_be_written(const char* path) {
  return static_cast<bool>(UniqueFd(::open(path, O_WRONLY | O_CLOEXEC)));
}

// What tuning may change, as it is now.
std::map<std::string, std::string> settings_now() {
  std::map<std::string, std::string> all;
  const HostRoot host;
  std::vector<std::string> files = {"proc/sys/kernel/sched_rt_runtime_us",
                                    "proc/sys/kernel/timer_migration",
                                    "sys/kernel/mm/transparent_hugepage/enabled",
                                    "sys/kernel/mm/ksm/run", "proc/irq/default_smp_affinity"};
  for (const auto& entry : fs::directory_iterator("/proc/irq")) {
    files.push_back(entry.path().string().substr(1) + "/smp_affinity_list");
  }
  for (const std::string& file : files) {
    if (auto text = host.read(file)) all[file] = *text;
  }
  return all;
}

// One of these tests at a time on this machine, whoever runs them.
UniqueFd machine_for_myself() {
  const fs::path file = fs::temp_directory_path() / "rtsweep-real-tuning.lock";
  UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (fd) ::flock(fd.get(), LOCK_EX);
  return fd;
}

class RealTuning : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_be_written("/proc/sys/kernel/sched_rt_runtime_us")) {
      GTEST_SKIP() << "needs a user who may write /proc/sys";
    }
  }

  UndoList open_list() {
    return std::move(UndoList::open(host_, commands_, dir_.root().path("state"))).value();
  }

  UniqueFd machine_ = machine_for_myself();
  HostRoot host_;
  FakeHost dir_;
  SystemCommands commands_;
};

TEST_F(RealTuning, TakesEffectAndIsUndone) {
  const auto before = settings_now();
  TuningSpec spec{.sched_rt_runtime_us = 960'000, .irq_affinity = {online_cpus(host_)->front()}};
  if (can_be_written("/sys/kernel/mm/transparent_hugepage/enabled")) {
    spec.transparent_hugepages = "never";
  }
  if (can_be_written("/proc/sys/kernel/timer_migration")) spec.timer_migration = false;
  UndoList list = open_list();

  Tuning tuning = std::move(Tuning::apply(host_, spec, list)).value();
  const auto tuned = settings_now();
  tuning.look_at_end();
  ASSERT_THAT(tuning.restore(), IsOk());

  EXPECT_EQ(tuned.at("proc/sys/kernel/sched_rt_runtime_us"), "960000");
  for (const TuningResult& result : tuning.results()) {
    EXPECT_TRUE(was_effective(result)) << result.file << " " << result.error;
    EXPECT_TRUE(was_restored(result)) << result.file;
  }
  EXPECT_EQ(settings_now(), before);
}

TEST_F(RealTuning, OfAKilledProcessIsUndoneByTheNext) {
  const auto before = settings_now();
  const pid_t child = ::fork();
  if (child == 0) {
    UndoList list = open_list();
    const auto tuning = Tuning::apply(host_, {.sched_rt_runtime_us = 960'000}, list);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(settings_now().at("proc/sys/kernel/sched_rt_runtime_us"), "960000");

  EXPECT_EQ(open_list().undo()->restored, 1);
  EXPECT_EQ(settings_now(), before);
}

TEST_F(RealTuning, DmaLatencyIsGoneWithItsHolder) {
  if (!can_be_written("/dev/cpu_dma_latency")) GTEST_SKIP() << "needs /dev/cpu_dma_latency";
  UndoList list = open_list();
  Tuning tuning = std::move(Tuning::apply(host_, {.cpu_dma_latency_us = 0}, list)).value();

  EXPECT_EQ(tuning.results().at(0).effective, "0");
}

}  // namespace
}  // namespace rtsweep
