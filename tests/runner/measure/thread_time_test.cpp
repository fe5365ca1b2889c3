// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/thread_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/fake_host.h"

namespace rtsweep {
namespace {

using testing::FakeHost;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// /proc/PID/stat of Linux 6.1: utime and stime are the 14th and 15th field.
std::string stat(int pid, const std::string& name, int user, int system) {
  return std::to_string(pid) + " (" + name + ") S 2 0 0 0 -1 69238880 0 0 0 0 " +
         std::to_string(user) + " " + std::to_string(system) + " 0 0 -2 0 1 0 31 0 0\n";
}

TEST(ThreadTime, IsThatOfAllThreadsOfTheName) {
  FakeHost host;
  host.file("proc/12/stat", stat(12, "hwlatd/0", 0, 150));
  host.file("proc/13/stat", stat(13, "hwlatd/1", 20, 30));
  host.file("proc/14/stat", stat(14, "hwlatdx", 1000, 1000));
  host.file("proc/15/stat", stat(15, "odd) name", 1000, 1000));
  host.file("proc/uptime", "1.00 1.00\n");

  EXPECT_THAT(kernel_threads(host.root(), "hwlatd"), UnorderedElementsAre(12, 13));
  EXPECT_DOUBLE_EQ(*kernel_thread_time(host.root(), "hwlatd"),
                   200.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

TEST(ThreadTime, IsNothingWhereThereIsNoSuchThread) {
  const FakeHost host;

  EXPECT_THAT(kernel_threads(host.root(), "timerlat"), IsEmpty());
  EXPECT_EQ(kernel_thread_time(host.root(), "timerlat"), std::nullopt);
}

}  // namespace
}  // namespace rtsweep
