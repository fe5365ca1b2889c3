// SPDX-License-Identifier: GPL-2.0-or-later

// What each load runs, as text, and what it refuses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/loads/load_bench.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::rtsweep::testing::FailsWith;
using ::rtsweep::testing::IsOkAnd;
using ::rtsweep::testing::LoadBench;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

TEST(BuiltinLoads, HaveTheNamesThatPlansUse) {
  EXPECT_THAT(builtin_loads().names(),
              IsSupersetOf({"command", "cpu", "hackbench", "idle", "memory", "sd-write"}));
}

TEST(BuiltinLoads, SayWhatTheyExerciseAndHowTheirWorkIsCounted) {
  for (const std::string& name : builtin_loads().names()) {
    const Load& load = *builtin_loads().find(name);
    EXPECT_FALSE(load.exercises.empty()) << name;
    EXPECT_NE(load.arguments, nullptr) << name;
    EXPECT_EQ(load.work == nullptr, load.unit.empty()) << name;
    EXPECT_EQ(load.programs.empty(), name == "idle") << name;
  }
}

TEST(BuiltinLoads, RunTheSameCommandEachTime) {
  for (const char* name : {"cpu", "hackbench", "idle", "memory"}) {
    EXPECT_EQ(LoadBench(name).command_line(), LoadBench(name).command_line()) << name;
  }
}

TEST(Idle, HasNothingToRun) { EXPECT_THAT(LoadBench("idle").arguments(), IsOkAnd(IsEmpty())); }

TEST(Cpu, ComputesOnEachCpu) {
  EXPECT_EQ(LoadBench("cpu").cpus({1, 2, 3}).command_line(),
            "stress-ng --cpu 3 --cpu-method bitops --seed 1 --timeout 0 --metrics --oomable "
            "--temp-path /run/load");
}

TEST(Cpu, NamesTheMethodThatWasMeant) {
  EXPECT_THAT(LoadBench("cpu").set("method", "matrixprd").arguments(),
              FailsWith(Errc::kInvalidPlan, "did you mean 'matrixprod'?"));
}

TEST(Cpu, RefusesWorkersThatAreNoNumber) {
  EXPECT_THAT(LoadBench("cpu").set("workers", "4x").arguments(),
              FailsWith(Errc::kInvalidPlan,
                        "option 'workers' is '4x', but must be a whole number from 1 to 4096"));
}

TEST(Memory, StreamsFourMegabytesOfCacheWorthWhereTheKernelTellsOfNoCache) {
  // 48 MiB are 12 times 4 MiB.
  EXPECT_EQ(LoadBench("memory").cpus({0, 1}).command_line(),
            "stress-ng --stream 2 --stream-l3-size 4194304 --seed 1 --timeout 0 --metrics "
            "--oomable --temp-path /run/load");
}

TEST(Memory, StreamsPastTheLargestCache) {
  LoadBench bench("memory");
  bench.file("sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n");
  bench.file("sys/devices/system/cpu/cpu0/cache/index1/size", "16384K\n");

  EXPECT_THAT(bench.command_line(), HasSubstr("--stream-l3-size 16777216 "));
}

TEST(Memory, TakesNoMoreThanAnEighthOfTheMachine) {
  LoadBench bench("memory");
  bench.file("proc/meminfo", "MemTotal:         245760 kB\n");  // 240 MiB: 30 are an eighth

  EXPECT_THAT(bench.command_line(), HasSubstr("--stream-l3-size 2621440 "));  // 30 MiB / 12
}

TEST(Memory, FaultsPagesInByChoice) {
  EXPECT_EQ(LoadBench("memory").set("kind", "vm").set("size", "64M").command_line(),
            "stress-ng --vm 1 --vm-bytes 67108864 --vm-method write64 --seed 1 --timeout 0 "
            "--metrics --oomable --temp-path /run/load");
}

TEST(Memory, RefusesASizeWithoutSense) {
  for (const char* size : {"64 M", "-1", "1", "64MB", "99999999999999999999G"}) {
    EXPECT_THAT(LoadBench("memory").set("size", size).arguments(),
                FailsWith(Errc::kInvalidPlan, std::string("option 'size' is '") + size + "'"));
  }
}

TEST(Hackbench, RunsTwoGroupsForEachCpu) {
  EXPECT_EQ(LoadBench("hackbench").cpus({0, 1, 2, 3}).command_line(),
            "hackbench -P -p -g 8 -f 8 -s 100 -l 2000000000");
}

TEST(Hackbench, TakesSocketsAndThreadsByChoice) {
  EXPECT_EQ(LoadBench("hackbench")
                .set("ipc", "socket")
                .set("tasks", "thread")
                .set("groups", "3")
                .set("fds", "20")
                .command_line(),
            "hackbench -T -g 3 -f 20 -s 100 -l 2000000000");
}

TEST(Hackbench, RefusesAnUnknownWayToTalk) {
  EXPECT_THAT(LoadBench("hackbench").set("ipc", "inet").arguments(),
              FailsWith(Errc::kInvalidPlan, "must be one of pipe, socket"));
}

TEST(Command, HandsTheLineToAShellWithAPathForItsCounter) {
  EXPECT_THAT(LoadBench("command").set("run", "ping -f 10.0.0.1 | tail").arguments(),
              IsOkAnd(::testing::ElementsAre(
                  "sh", "-c", "export RTSWEEP_WORK=\"$1\"; shift\nping -f 10.0.0.1 | tail",
                  "rtsweep-command", "/run/load/work")));
}

TEST(Command, NeedsALine) {
  EXPECT_THAT(LoadBench("command").set("run", "  ").arguments(),
              FailsWith(Errc::kInvalidPlan, "option 'run' is not set"));
}

TEST(Command, HasTheUnitThatItsOptionNames) {
  const Load& command = *builtin_loads().find("command");

  EXPECT_EQ(work_unit(command, {{"run", "x"}, {"unit", "frames"}}), "frames");
  EXPECT_EQ(work_unit(command, {}), "cpu-ms");
  EXPECT_EQ(work_unit(*builtin_loads().find("sd-write"), {}), "bytes");
}

class SdWrite : public ::testing::Test {
 protected:
  // QEMU's card of 16 MiB, as sysfs of Linux 6.1 shows it in a VM.
  void insert_emulated_card() {
    bench_.file("sys/block/mmcblk0/device/name", "QEMU!\n");
    bench_.file("sys/block/mmcblk0/size", "32768\n");
  }

  LoadBench bench_{"sd-write"};
};

TEST_F(SdWrite, OverwritesTheWholeOfAVmsCard) {
  insert_emulated_card();

  EXPECT_EQ(bench_.command_line(),
            "fio --name=sd-write --filename=/dev/mmcblk0 --size=16777216 --io_size=34359738368 "
            "--bs=4096 --rw=randwrite --ioengine=psync --direct=1 --fdatasync=1 --unlink=0 "
            "--thread --randrepeat=1 --randseed=1 --clocksource=clock_gettime --eta=never");
}

TEST_F(SdWrite, WaitsForACardWhoseControllerIsThereAlready) {
  bench_.file("sys/class/mmc_host/mmc0/uevent", "");
  std::thread kernel([this] {
    insert_emulated_card();
    bench_.file("dev/mmcblk0", "");
  });

  EXPECT_THAT(bench_.command_line(), HasSubstr("--filename=/dev/mmcblk0 "));
  kernel.join();
}

TEST_F(SdWrite, GoesThroughThePageCacheByChoice) {
  insert_emulated_card();

  EXPECT_THAT(bench_.set("mode", "fdatasync").command_line(),
              HasSubstr(" --direct=0 --fdatasync=1 "));
  EXPECT_THAT(bench_.set("mode", "direct").command_line(), HasSubstr(" --direct=1 --fdatasync=0 "));
}

TEST_F(SdWrite, NeverOverwritesARealCard) {
  bench_.file("sys/block/mmcblk0/device/name", "SC32G\n");
  bench_.file("sys/block/mmcblk0/size", "62333952\n");

  EXPECT_THAT(bench_.arguments(), FailsWith(Errc::kNotSupported, "will not be overwritten"));
  EXPECT_THAT(bench_.set("file", "/dev/mmcblk0").arguments(),
              FailsWith(Errc::kNotSupported, "will not be overwritten"));
}

TEST_F(SdWrite, NeverOverwritesAVmsCardThatHoldsASystem) {
  insert_emulated_card();
  bench_.file("sys/block/mmcblk0/mmcblk0p1/size", "16384\n");

  EXPECT_THAT(bench_.arguments(), FailsWith(Errc::kNotSupported, "will not be overwritten"));
}

TEST_F(SdWrite, NeverOverwritesAVmsCardThatIsMounted) {
  insert_emulated_card();
  bench_.file("proc/mounts", "/dev/mmcblk0 /mnt ext4 rw 0 0\n");

  EXPECT_THAT(bench_.arguments(), FailsWith(Errc::kNotSupported, "will not be overwritten"));
}

TEST_F(SdWrite, NeverWritesToAnotherDevice) {
  for (const char* device : {"/dev/sda", "/dev/mmcblk1", "/dev/../dev/vda", "/dev/disk/by-id/x"}) {
    EXPECT_THAT(bench_.set("file", device).arguments(),
                FailsWith(Errc::kInvalidPlan, "not of a device"))
        << device;
  }
}

TEST_F(SdWrite, SaysWhatToSetWithoutACard) {
  EXPECT_THAT(bench_.arguments(), FailsWith(Errc::kNotSupported, "set option 'file'"));
}

TEST_F(SdWrite, MakesAFileInTheDirectoryAndRemovesIt) {
  bench_.file("mnt/card/other", "somebody's");

  EXPECT_THAT(bench_.set("file", "/mnt/card").set("size", "2M").command_line(),
              AllOf(HasSubstr("--filename=/mnt/card/rtsweep-sd-write.data --size=2097152 "),
                    HasSubstr(" --unlink=1 ")));
}

TEST_F(SdWrite, NeverOverwritesAFileOfTheUsers) {
  bench_.file("mnt/card/thesis.tex", "\\documentclass");

  EXPECT_THAT(bench_.set("file", "/mnt/card/thesis.tex").arguments(),
              FailsWith(Errc::kInvalidPlan, "would be overwritten"));
}

TEST_F(SdWrite, NamesADirectoryThatIsMissing) {
  EXPECT_THAT(bench_.set("file", "/mnt/none/x").arguments(),
              FailsWith(Errc::kInvalidPlan, "there is no directory /mnt/none"));
}

TEST_F(SdWrite, RefusesADirectoryInMemory) {
  bench_.file("mnt/card/other", "");
  bench_.file("proc/mounts", "/dev/root / ext4 rw 0 0\ntmpfs /mnt tmpfs rw 0 0\n");

  EXPECT_THAT(bench_.set("file", "/mnt/card").arguments(),
              FailsWith(Errc::kNotSupported, "/mnt/card is on tmpfs"));
}

TEST_F(SdWrite, LooksAtTheMountThatHoldsTheDirectory) {
  bench_.file("mnt/card/other", "");
  bench_.file("proc/mounts",
              "tmpfs /mnt tmpfs rw 0 0\n/dev/mmcblk0p2 /mnt/card ext4 rw 0 0\n"
              "tmpfs /mnt/card2 tmpfs rw 0 0\n");

  EXPECT_THAT(bench_.set("file", "/mnt/card").command_line(), Not(HasSubstr("error")));
}

TEST_F(SdWrite, RefusesARelativePath) {
  EXPECT_THAT(bench_.set("file", "card/x").arguments(),
              FailsWith(Errc::kInvalidPlan, "absolute path"));
}

}  // namespace
}  // namespace rtsweep
