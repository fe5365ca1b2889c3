// SPDX-License-Identifier: GPL-2.0-or-later

// The loads for real, on this machine, for about a second each: the counter rises
// while they run, stands still while they are stopped (SIGSTOP is the nearest thing to
// a hang), and what they print in the end can be read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "runner/base/child_process.h"
#include "runner/base/files.h"
#include "runner/host/process_group.h"
#include "tests/loads/load_bench.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
using ::rtsweep::testing::FakeHost;
using ::rtsweep::testing::IsOk;
using ::testing::Eq;
using ::testing::Optional;

struct RealCase {
  std::string name;
  std::string load;
  std::map<std::string, std::string> options;
  bool tells = false;  // a note in the end
};

void PrintTo(const RealCase& real, std::ostream* os) { *os << real.name; }

class RealLoad : public ::testing::TestWithParam<RealCase> {
 protected:
  void SetUp() override {
    options_ = GetParam().options;
    for (const LoadOption& option : load_.options) {
      options_.emplace(std::string(option.name), std::string(option.fallback));
    }
    scratch_.file("scratch/here", "");
    // fio wants a disk behind its file, and the folder for temporary files may be
    // memory: so the build's folder.
    if (GetParam().load == "sd-write") options_["file"] = std::filesystem::current_path().string();
  }

  LoadContext context() const {
    return {.host = host_,
            .cpus = {0},
            .scratch = scratch_.root().path("scratch"),
            .options = options_,
            .machine = "x86_64"};
  }

  RunningLoad running(const ChildProcess& child) const {
    return {.host = host_,
            .group = child.pid(),
            .log = log(),
            .scratch = scratch_.root().path("scratch"),
            .options = options_};
  }

  std::filesystem::path log() const { return scratch_.root().path("log"); }

  // Waits until the counter is past `from`, for 20 s: other tests may have the CPUs.
  uint64_t wait_past(const RunningLoad& load, uint64_t from) const {
    uint64_t work = 0;
    for (int tries = 0; tries < 200; ++tries) {
      work = load_.work(load) ? *load_.work(load) : 0;
      if (work > from) break;
      std::this_thread::sleep_for(100ms);
    }
    return work;
  }

  // Waits until SIGSTOP has reached every thread: it has when two readings, some
  // scheduling rounds apart, are equal.
  uint64_t settled(const RunningLoad& load) const {
    uint64_t work = *load_.work(load);
    for (int tries = 0; tries < 50; ++tries) {
      std::this_thread::sleep_for(100ms);
      const uint64_t now = *load_.work(load);
      if (now == work) break;
      work = now;
    }
    return work;
  }

  // Waits until the kernel has taken the last process down: SIGKILL is not instant.
  int processes_left(pid_t group) const {
    int left = -1;
    for (int tries = 0; tries < 50 && left != 0; ++tries) {
      if (left > 0) std::this_thread::sleep_for(100ms);
      left = process_group_usage(host_, group)->processes;
    }
    return left;
  }

  const HostRoot host_{"/"};
  const Load& load_ = *builtin_loads().find(GetParam().load);
  FakeHost scratch_;
  std::map<std::string, std::string> options_;
};

TEST_P(RealLoad, CountsWorkOnlyWhileItWorksAndTellsItInTheEnd) {
  const auto argv = load_.arguments(context());
  if (!argv && argv.error().code() == Errc::kNotSupported) GTEST_SKIP() << argv.error().message();
  ASSERT_THAT(argv, IsOk());
  auto child = ChildProcess::start(*argv, {.output = log()});
  if (!child && child.error().code() == Errc::kNotSupported)
    GTEST_SKIP() << child.error().message();
  ASSERT_THAT(child, IsOk());
  const RunningLoad load = running(*child);

  const uint64_t before = wait_past(load, 0);
  ASSERT_GT(before, 0u) << *read_file(log());
  const uint64_t after = wait_past(load, before);
  EXPECT_GT(after, before) << *read_file(log());

  ::kill(-child->pid(), SIGSTOP);
  const uint64_t stopped = settled(load);
  std::this_thread::sleep_for(500ms);
  EXPECT_THAT(load_.work(load), ::rtsweep::testing::IsOkAnd(Eq(stopped)));
  ::kill(-child->pid(), SIGCONT);
  EXPECT_GT(wait_past(load, stopped), stopped);

  EXPECT_THAT(child->stop(load_.stop_signal, 10s), IsOk());
  EXPECT_EQ(processes_left(child->pid()), 0);
  EXPECT_FALSE(load_.work(load)) << "a dead load must not count";
  if (GetParam().tells) {
    EXPECT_THAT(load_.note(*read_file(log())), Optional(::testing::Not(::testing::IsEmpty())))
        << *read_file(log());
  }
}

INSTANTIATE_TEST_SUITE_P(
    OnThisMachine, RealLoad,
    ::testing::Values(
        RealCase{"cpu", "cpu", {}, true},
        RealCase{"memory_stream", "memory", {{"size", "12M"}}, true},
        RealCase{"memory_vm", "memory", {{"kind", "vm"}, {"size", "8M"}}, true},
        RealCase{"hackbench_pipes", "hackbench", {{"groups", "1"}}},
        RealCase{"hackbench_socket_threads",
                 "hackbench",
                 {{"groups", "1"}, {"ipc", "socket"}, {"tasks", "thread"}}},
        RealCase{"sd_write_both", "sd-write", {{"size", "1M"}}, true},
        RealCase{"sd_write_direct", "sd-write", {{"size", "1M"}, {"mode", "direct"}}, true},
        RealCase{"sd_write_fdatasync", "sd-write", {{"size", "1M"}, {"mode", "fdatasync"}}, true},
        RealCase{"command_cpu", "command", {{"run", "while :; do :; done"}}},
        RealCase{"command_own_counter",
                 "command",
                 {{"unit", "rounds"},
                  {"run",
                   "n=0; while :; do n=$((n+1)); echo $n > $RTSWEEP_WORK.new && "
                   "mv $RTSWEEP_WORK.new $RTSWEEP_WORK; done"}}}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace rtsweep
