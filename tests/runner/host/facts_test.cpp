// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/fake_host.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using testing::FakeHost;

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

}  // namespace
}  // namespace rtsweep
