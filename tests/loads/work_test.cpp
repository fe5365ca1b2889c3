// SPDX-License-Identifier: GPL-2.0-or-later

// The loads' counters, read from files as a kernel prints them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/loads/load_bench.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::rtsweep::testing::FailsWith;
using ::rtsweep::testing::IsOkAnd;
using ::rtsweep::testing::LoadBench;
using ::testing::Eq;

constexpr char kRunning[] =
    "300 (load) R 1 300 300 0 -1 4194304 1163 0 0 0 24 221 0 0 20 0 3 0 9021 0 0\n";
constexpr char kDead[] =
    "300 (load) Z 1 300 300 0 -1 4194304 1163 0 0 0 24 221 0 0 20 0 3 0 9021 0 0\n";
constexpr char kIo[] =
    "rchar: 70572\nwchar: 377618627\nsyscr: 132\nsyscw: 23050\nread_bytes: 0\n"
    "write_bytes: 377626624\ncancelled_write_bytes: 0\n";

LoadBench& running(LoadBench& bench) {
  return bench.file("proc/300/stat", kRunning).file("proc/300/io", kIo);
}

TEST(LoadWork, OfHackbenchIsItsWriteCalls) {
  LoadBench bench("hackbench");
  EXPECT_THAT(running(bench).work(), IsOkAnd(Eq(23050u)));
}

TEST(LoadWork, OfSdWriteIsWhatWentToTheCard) {
  LoadBench bench("sd-write");
  EXPECT_THAT(running(bench).work(), IsOkAnd(Eq(377626624u)));
}

TEST(LoadWork, OfCpuAndMemoryIsCpuTime) {
  for (const char* name : {"cpu", "memory"}) {
    LoadBench bench(name);
    EXPECT_THAT(running(bench).work(), IsOkAnd(Eq(2450u))) << name;  // 24 + 221 ticks of 10 ms
  }
}

TEST(LoadWork, OfADeadLoadIsAnErrorAndNotItsLastNumber) {
  for (const char* name : {"command", "cpu", "hackbench", "memory", "sd-write"}) {
    LoadBench bench(name);
    bench.file("proc/300/stat", kDead).file("proc/300/io", kIo);
    EXPECT_THAT(bench.work(), FailsWith(Errc::kChildFailed, "no process of the load is alive"))
        << name;
  }
}

TEST(LoadWork, SaysWhichKernelOptionItNeeds) {
  LoadBench bench("hackbench");
  bench.file("proc/300/stat", kRunning);

  EXPECT_THAT(bench.work(), FailsWith(Errc::kNotSupported, "CONFIG_TASK_IO_ACCOUNTING"));
}

TEST(CommandWork, IsCountedAsTheUnitSays) {
  LoadBench bench("command");
  running(bench);

  EXPECT_THAT(bench.work(), IsOkAnd(Eq(2450u)));
  EXPECT_THAT(bench.set("unit", "write-calls").work(), IsOkAnd(Eq(23050u)));
  EXPECT_THAT(bench.set("unit", "bytes").work(), IsOkAnd(Eq(377626624u)));
}

TEST(CommandWork, IsTheNumberThatTheCommandKeeps) {
  LoadBench bench("command");
  running(bench).set("unit", "frames").file("scratch/work", "1234\n");

  EXPECT_THAT(bench.work(), IsOkAnd(Eq(1234u)));
}

TEST(CommandWork, IsNothingBeforeTheCommandHasWrittenANumber) {
  LoadBench bench("command");
  running(bench).set("unit", "frames");

  EXPECT_THAT(bench.work(), IsOkAnd(Eq(0u)));
}

TEST(CommandWork, RefusesAFileThatHoldsNoNumber) {
  for (const char* content : {"", "12 frames\n", "-3\n", "1.5\n"}) {
    LoadBench bench("command");
    running(bench).set("unit", "frames").file("scratch/work", content);
    EXPECT_THAT(bench.work(), FailsWith(Errc::kBadData, "not a whole number")) << content;
  }
}

}  // namespace
}  // namespace rtsweep
