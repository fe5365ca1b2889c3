// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/fake_host.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FakeHost;
using ::testing::Pair;

TEST(RtFromVersion, KnowsEverySpellingOfThePast) {
  EXPECT_EQ(rt_from_version("#1 SMP PREEMPT_RT Debian 6.1.176-1 (2026-08-01)"), true);
  EXPECT_EQ(rt_from_version("#1 SMP PREEMPT RT Fri Aug 14 2015"), true);
  EXPECT_EQ(rt_from_version("#0 SMP PREEMPT_{RT,(full)} Wed May 28"), true);
  EXPECT_EQ(rt_from_version("#1 SMP PREEMPT_DYNAMIC Debian 6.1.176-1"), false);
  EXPECT_EQ(rt_from_version(""), std::nullopt);
}

TEST(RtFromConfig, IsNotFooledByAPrefix) {
  EXPECT_TRUE(rt_from_config("CONFIG_SMP=y\nCONFIG_PREEMPT_RT=y\n"));
  EXPECT_FALSE(rt_from_config("# CONFIG_PREEMPT_RT is not set\nCONFIG_ARCH_SUPPORTS_RT=y\n"));
  EXPECT_FALSE(rt_from_config("CONFIG_PREEMPT_RT=n\n"));
}

TEST(ReadFacts, LeavesUnknownWhatTheMachineDoesNotSay) {
  FakeHost host;
  host.file("proc/sys/kernel/osrelease", "6.12.117+deb13-rt-armmp\n");

  const MachineFacts facts = read_facts(host.root());

  EXPECT_EQ(facts.kernel_release, "6.12.117+deb13-rt-armmp");
  EXPECT_EQ(facts.preempt_rt, std::nullopt);
  EXPECT_EQ(facts.numa_nodes, std::nullopt);
  EXPECT_EQ(facts.sched_rt_runtime_us, std::nullopt);
  const nlohmann::json json = facts;
  EXPECT_FALSE(json.contains("numa_nodes"));
  EXPECT_EQ(json.get<MachineFacts>(), facts);
}

TEST(ReadFacts, CountsNumaNodesWithTheirMemory) {
  FakeHost host;
  host.file("sys/devices/system/node/online", "0-1\n")
      .file("sys/devices/system/node/node0/meminfo", "\nNode 0 MemTotal:       131072 kB\n")
      .file("sys/devices/system/node/node1/meminfo", "\nNode 1 MemTotal:       120000 kB\n")
      .file("sys/devices/system/cpu/online", "0-1\n")
      .file("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");

  const MachineFacts facts = read_facts(host.root());

  EXPECT_EQ(facts.numa_nodes, 2);
  EXPECT_THAT(facts.numa_mem_kib, ElementsAre(Pair(0, 131072), Pair(1, 120000)));
  EXPECT_THAT(facts.governors, ElementsAre(Pair(1, "performance")));
  const nlohmann::json json = facts;
  EXPECT_EQ(json.get<MachineFacts>(), facts);
}

TEST(ReadFacts, FindsTheKernelsConfigurationWhereDistributionsPutIt) {
  FakeHost host;
  host.file("proc/sys/kernel/osrelease", "6.1.0-50-rt-amd64\n")
      .file("boot/config-6.1.0-50-rt-amd64",
            "CONFIG_PREEMPT_RT=y\nCONFIG_HZ=250\n# CONFIG_KASAN is not set\nCONFIG_EXT4_FS=m\n");

  const MachineFacts facts = read_facts(host.root());

  EXPECT_EQ(facts.preempt_rt, true);  // without /proc/sys/kernel/version
  EXPECT_EQ(facts.kernel_config_file, "/boot/config-6.1.0-50-rt-amd64");
  EXPECT_THAT(facts.kernel_config, ElementsAre(Pair("HZ", "250"), Pair("PREEMPT_RT", "y")));
}

TEST(ReadFacts, KnowHowCpusIdleAndHowFastTheyMayRun) {
  FakeHost host;
  host.file("sys/devices/system/cpu/online", "0\n")
      .file("sys/devices/system/cpu/nohz_full", "\n")
      .file("sys/devices/system/cpu/smt/control", "notsupported\n")
      .file("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n")
      .file("sys/devices/system/cpu/cpu0/topology/core_id", "2\n")
      .file("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,4\n")
      .file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "ondemand\n")
      .file("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "cpufreq-dt\n")
      .file("sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq", "600000\n")
      .file("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "1500000\n")
      .file("sys/devices/system/cpu/cpu0/cpuidle/state0/name", "WFI\n")
      .file("sys/devices/system/cpu/cpu0/cpuidle/state0/latency", "1\n")
      .file("sys/devices/system/cpu/cpu0/cpuidle/state0/disable", "1\n")
      .file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");

  const MachineFacts facts = read_facts(host.root());

  EXPECT_EQ(facts.frequency_limits.at(0), (FrequencyLimits{"cpufreq-dt", 600'000, 1'500'000}));
  EXPECT_THAT(facts.idle_states.at(0), ElementsAre(IdleState{"WFI", 1, true}));
  EXPECT_EQ(facts.transparent_hugepages, "madvise");
  EXPECT_EQ(facts.smt, "notsupported");
  EXPECT_EQ(facts.topology.at(0), (CpuPlace{0, 2, "0,4"}));
  const nlohmann::json json = facts;
  EXPECT_EQ(json.get<MachineFacts>(), facts);
}

// The device tree of a Raspberry Pi: numbers are 32-bit big-endian, texts end with NUL.
TEST(ReadFacts, TellWhatABoardsFirmwareLeftBehind) {
  FakeHost host;
  host.file("proc/device-tree/model", std::string("Raspberry Pi 5 Model B Rev 1.0\0", 31))
      .file("proc/device-tree/chosen/bootloader/tryboot", std::string("\0\0\0\1", 4))
      .file("proc/device-tree/chosen/bootloader/build-timestamp",
            std::string("\x67\x53\xc3\x80", 4))
      .file("proc/device-tree/chosen/bootloader/version", std::string("4aae6cb\0", 8));

  const MachineFacts facts = read_facts(host.root());

  ASSERT_TRUE(facts.board);
  EXPECT_EQ(facts.board->model, "Raspberry Pi 5 Model B Rev 1.0");
  // 0x6753c380 is 1733542784, 2024-12-07.
  EXPECT_THAT(facts.board->bootloader,
              ElementsAre(Pair("build-timestamp", "1733542784"), Pair("tryboot", "1"),
                          Pair("version", "4aae6cb")));
}

TEST(ReadFacts, NameEveryQueueOfTheNetwork) {
  FakeHost host;
  host.file("sys/class/net/eth0/queues/rx-0/rps_cpus", "00000003\n")
      .file("sys/class/net/eth0/queues/rx-0/rps_flow_cnt", "4096\n")
      .file("sys/class/net/eth0/queues/tx-0/xps_cpus", "00000001\n");

  const MachineFacts facts = read_facts(host.root());

  EXPECT_EQ(facts.net_queues.at("eth0/rx-0"), (NetQueue{"00000003", "", 4096}));
  EXPECT_EQ(facts.net_queues.at("eth0/tx-0"), (NetQueue{"", "00000001", std::nullopt}));
}

}  // namespace
}  // namespace rtsweep
