// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/base/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "runner/base/command.h"
#include "runner/base/files.h"
#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
using testing::FailsWith;
using testing::FakeHost;
using testing::IsOkAnd;

TEST(ChildProcess, TellsHowItEnded) {
  auto child = ChildProcess::start({"sh", "-c", "exit 3"}, {});
  ASSERT_TRUE(child);

  const auto status = child->wait();

  ASSERT_TRUE(status);
  EXPECT_EQ((*status)->text(), "exit code 3");
}

// Neither gone nor a zombie that nobody has reaped yet.
bool is_alive(pid_t pid) {
  const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  return stat && stat->find(") Z ") == std::string::npos && stat->find(") X ") == std::string::npos;
}

TEST(ChildProcess, IsStoppedTogetherWithWhatItStarted) {
  FakeHost dir;
  const auto pids = dir.root().path("pids");
  auto child = ChildProcess::start({"sh", "-c", "sleep 1000 & echo $!; wait"}, {.output = pids});
  ASSERT_TRUE(child);
  while (read_file(pids)->find('\n') == std::string::npos) std::ignore = child->wait(1ms);
  const pid_t grandchild = std::stoi(*read_file(pids));

  const auto status = child->stop(SIGTERM, 5s);

  ASSERT_TRUE(status);
  EXPECT_EQ(status->signal, SIGTERM);
  // Killed is not gone yet: the kernel takes its time on a busy machine.
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (is_alive(grandchild) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_FALSE(is_alive(grandchild));
}

TEST(ChildProcess, NamesAProgramThatIsNotThere) {
  EXPECT_THAT(ChildProcess::start({"no-such-program"}, {}),
              FailsWith(Errc::kNotSupported, "no-such-program"));
}

TEST(SystemCommands, PassOnWhatTheCommandSaid) {
  EXPECT_THAT(SystemCommands().run({"sh", "-c", "echo out; echo why >&2; exit 2"}),
              FailsWith(Errc::kChildFailed, "exit code 2: why"));
  EXPECT_THAT(SystemCommands().run({"echo", "hello"}), IsOkAnd(std::string("hello\n")));
}

}  // namespace
}  // namespace rtsweep
