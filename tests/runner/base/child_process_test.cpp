// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/base/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "runner/base/command.h"
#include "runner/base/files.h"
#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
using testing::FailsWith;
using testing::IsOkAnd;
using testing::FakeHost;

TEST(ChildProcess, TellsHowItEnded) {
  auto child = ChildProcess::start({"sh", "-c", "exit 3"}, {});
  ASSERT_TRUE(child);

  const auto status = child->wait();

  ASSERT_TRUE(status);
  EXPECT_EQ((*status)->text(), "exit code 3");
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
  std::string state;  // of the orphan: gone, or a zombie that nobody has reaped yet
  if (const auto stat = read_file("/proc/" + std::to_string(grandchild) + "/stat")) state = *stat;
  EXPECT_TRUE(state.empty() || state.find(") Z ") != std::string::npos ||
              state.find(") X ") != std::string::npos)
      << state;
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
