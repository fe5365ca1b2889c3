// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/process_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::rtsweep::testing::FailsWith;
using ::rtsweep::testing::FakeHost;
using ::rtsweep::testing::IsOk;

// The lines of a real hackbench and of stress-ng's vm worker on Linux 6.18, with the
// ids changed.
constexpr char kLeader[] =
    "300 (hackbench) S 1 300 300 0 -1 4194304 1163 41 0 0 1 2 3 4 20 0 1 0 9021 2740224 310 "
    "18446744073709551615 94190270259200 94190270268321 140722954861760 0 0 0 0 0 16386 1 0 0 17 "
    "1 0 0 0 0 0 94190270279376 94190270280192 94190301564928 140722954867 140722954868 "
    "140722954869 140722954870 0\n";
constexpr char kSender[] =
    "301 (hackbench) R 300 300 300 0 -1 4194368 61 0 0 0 24 221 0 0 20 0 1 0 9022 2740224 120 "
    "18446744073709551615 0 0 0 0 0 0 0 0 16386 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
constexpr char kLeaderIo[] =
    "rchar: 6976\nwchar: 120\nsyscr: 10\nsyscw: 3\nread_bytes: 0\nwrite_bytes: 4096\n"
    "cancelled_write_bytes: 0\n";
constexpr char kSenderIo[] =
    "rchar: 70572\nwchar: 377618627\nsyscr: 132\nsyscw: 23050\nread_bytes: 0\n"
    "write_bytes: 377626624\ncancelled_write_bytes: 0\n";

// A line with made-up values where the test does not look.
std::string stat(int pid, std::string_view name, char state, int parent, int group, int utime = 0) {
  return std::to_string(pid) + " (" + std::string(name) + ") " + state + " " +
         std::to_string(parent) + " " + std::to_string(group) + " " + std::to_string(group) +
         " 0 -1 4194304 0 0 0 0 " + std::to_string(utime) + " 0 0 0 20 0 1 0 9021 0 0\n";
}

TEST(ProcessGroupUsage, AddsUpTimesAndIoOfItsProcesses) {
  FakeHost host;
  host.file("proc/300/stat", kLeader).file("proc/300/io", kLeaderIo);
  host.file("proc/301/stat", kSender).file("proc/301/io", kSenderIo);

  const auto usage = process_group_usage(host.root(), 300);

  ASSERT_THAT(usage, IsOk());
  EXPECT_EQ(usage->processes, 2);
  // (1 + 2 + 3 + 4) ticks of the leader with its children, 24 + 221 of the sender; a
  // tick is 10 ms.
  EXPECT_EQ(usage->cpu_ms, 2550u);
  ASSERT_TRUE(usage->io);
  EXPECT_EQ(usage->io->write_calls, 3u + 23050u);
  EXPECT_EQ(usage->io->written_chars, 120u + 377618627u);
  EXPECT_EQ(usage->io->written_bytes, 4096u + 377626624u);
}

TEST(ProcessGroupUsage, LeavesOutOtherGroups) {
  FakeHost host;
  host.file("proc/300/stat", stat(300, "fio", 'S', 1, 300, 5));
  host.file("proc/400/stat", stat(400, "cyclictest", 'S', 1, 400, 7));
  host.file("proc/2/stat", "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 9 0 0 20 0 1 0 0 0 0\n");

  EXPECT_EQ(process_group_usage(host.root(), 300)->cpu_ms, 50u);
}

TEST(ProcessGroupUsage, CountsADescendantThatMadeASessionOfItsOwn) {
  FakeHost host;
  host.file("proc/300/stat", stat(300, "fio", 'S', 1, 300));
  host.file("proc/301/stat", stat(301, "fio", 'D', 300, 301, 11));
  // Its id is below its parent's: ids have wrapped.
  host.file("proc/12/stat", stat(12, "sh", 'S', 301, 301, 2));

  const auto usage = process_group_usage(host.root(), 300);

  ASSERT_THAT(usage, IsOk());
  EXPECT_EQ(usage->processes, 3);
  EXPECT_EQ(usage->cpu_ms, 130u);
}

TEST(ProcessGroupUsage, ReadsANameWithBlanksAndParentheses) {
  FakeHost host;
  host.file("proc/300/stat", stat(300, "a) R 9 (b c", 'S', 1, 300, 4));

  const auto usage = process_group_usage(host.root(), 300);

  ASSERT_THAT(usage, IsOk());
  EXPECT_EQ(usage->processes, 1);
  EXPECT_EQ(usage->cpu_ms, 40u);
}

TEST(ProcessGroupUsage, CountsAZombiesTimeButNotAsAlive) {
  FakeHost host;
  host.file("proc/300/stat", stat(300, "stress-ng", 'Z', 1, 300, 6));

  const auto usage = process_group_usage(host.root(), 300);

  ASSERT_THAT(usage, IsOk());
  EXPECT_EQ(usage->processes, 0);
  EXPECT_EQ(usage->cpu_ms, 60u);
}

TEST(ProcessGroupUsage, PassesOverAProcessThatVanishesInTheMiddle) {
  FakeHost host;
  host.file("proc/300/stat", stat(300, "sh", 'S', 1, 300, 1));
  host.file("proc/301/status", "its stat is gone already\n");

  EXPECT_EQ(process_group_usage(host.root(), 300)->processes, 1);
}

TEST(ProcessGroupUsage, KnowsNoIoWhereTheKernelKeepsNone) {
  FakeHost host;
  host.file("proc/300/stat", stat(300, "sh", 'S', 1, 300));

  EXPECT_FALSE(process_group_usage(host.root(), 300)->io);
}

TEST(ProcessGroupUsage, OfAGroupThatIsGoneHasNoProcesses) {
  FakeHost host;
  host.file("proc/1/stat", stat(1, "init", 'S', 0, 1));

  EXPECT_EQ(process_group_usage(host.root(), 300)->processes, 0);
}

TEST(ProcessGroupUsage, RefusesAStatThatIsCutOff) {
  FakeHost host;
  host.file("proc/300/stat", "300 (sh) S 1 300 300 0\n");

  EXPECT_THAT(process_group_usage(host.root(), 300), FailsWith(Errc::kBadData, "proc/300/stat"));
}

TEST(ProcessGroupUsage, NamesAProcThatIsMissing) {
  FakeHost host;

  EXPECT_THAT(process_group_usage(host.root(), 300), FailsWith(Errc::kIo, "proc"));
}

}  // namespace
}  // namespace rtsweep
