// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/machine_checks.h"

#include <gmock/gmock.h>

#include "tests/support/fake_host.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FakeHost;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const std::string kCpu = "sys/devices/system/cpu/";

std::vector<std::string> said_of(const FakeHost& host, const std::string& name) {
  const Observations observed = read_machine_checks(host.root());
  const auto it = observed.find(name);
  if (it == observed.end()) return {"unknown"};
  std::vector<std::string> said;
  for (const Observation& one : it->second) said.push_back(one.said);
  return said;
}

std::vector<std::string> values_of(const FakeHost& host, const std::string& name) {
  const Observations observed = read_machine_checks(host.root());
  const auto it = observed.find(name);
  if (it == observed.end()) return {"unknown"};
  std::vector<std::string> values;
  for (const Observation& one : it->second) values.push_back(one.value);
  return values;
}

// A line of /proc/PID/stat as proc(5) numbers its fields; `flags` is the 9th.
std::string stat_line(int pid, const std::string& name, unsigned flags, int rt_priority,
                      int policy) {
  std::string line = std::to_string(pid) + " (" + name + ") S 1 1 1 0 -1 " + std::to_string(flags);
  for (int field = 10; field < 40; ++field) line += " 0";
  return line + " " + std::to_string(rt_priority) + " " + std::to_string(policy) + " 0 0\n";
}

TEST(MachineChecks, KnowNothingOfAnEmptyTree) {
  EXPECT_THAT(read_machine_checks(FakeHost().root()), IsEmpty());
}

TEST(MachineChecks, GroupCpusByGovernor) {
  FakeHost host;
  host.file(kCpu + "online", "0-2\n")
      .file(kCpu + "cpu0/cpufreq/scaling_governor", "performance\n")
      .file(kCpu + "cpu1/cpufreq/scaling_governor", "schedutil\n")
      .file(kCpu + "cpu2/cpufreq/scaling_governor", "schedutil\n");

  EXPECT_THAT(said_of(host, "governor"), ElementsAre("CPU 0: performance", "CPU 1-2: schedutil"));
}

TEST(MachineChecks, LeaveOutIdleStatesThatAreDisabled) {
  FakeHost host;
  host.file(kCpu + "online", "0\n").file(kCpu + "cpuidle/current_driver", "intel_idle\n");
  for (const auto& [state, latency, disabled] :
       {std::tuple("state1", "2", "0"), std::tuple("state2", "133", "0"),
        std::tuple("state3", "890", "1")}) {
    const std::string directory = kCpu + "cpu0/cpuidle/" + state;
    host.file(directory + "/name", std::string("C-") + state + "\n")
        .file(directory + "/latency", std::string(latency) + "\n")
        .file(directory + "/disable", std::string(disabled) + "\n");
  }

  EXPECT_THAT(said_of(host, "idle_exit_latency_us"),
              ElementsAre("CPU 0: C-state1, 2 us to leave", "CPU 0: C-state2, 133 us to leave"));
}

TEST(MachineChecks, NameUserThreadsWithARealTimePolicy) {
  FakeHost host;
  host.file("proc/1/task/1/stat", stat_line(1, "init", 0x400100, 0, 0))
      .file("proc/20/task/20/stat", stat_line(20, "migration/0", 0x4208040, 99, 1))
      .file("proc/300/task/300/stat", stat_line(300, "multipathd", 0x400100, 0, 0))
      .file("proc/300/task/301/stat", stat_line(301, "mpath (x) y", 0x400140, 99, 2))
      .file("proc/400/task/400/stat", stat_line(400, "deadline", 0x400100, 0, 6));

  EXPECT_THAT(said_of(host, "competing_rt_task"),
              UnorderedElementsAre("mpath (x) y (thread 301): SCHED_RR 99",
                                   "deadline (thread 400): SCHED_DEADLINE"));
  EXPECT_THAT(values_of(host, "irqbalance"), IsEmpty());
}

TEST(MachineChecks, FindIrqbalance) {
  FakeHost host;
  host.file("proc/812/comm", "irqbalance\n")
      .file("proc/812/task/812/stat", stat_line(812, "irqbalance", 0x400100, 0, 0));

  EXPECT_THAT(values_of(host, "irqbalance"), ElementsAre("812"));
}

TEST(MachineChecks, NameInterruptsOnIsolatedCpus) {
  FakeHost host;
  host.file(kCpu + "isolated", "2-3\n")
      .file("proc/irq/24/effective_affinity_list", "3\n")
      .file("proc/irq/24/eth0/x", "")
      .file("proc/irq/25/effective_affinity_list", "0\n")
      .file("proc/irq/25/mmc0/x", "")
      .file("proc/irq/26/smp_affinity_list", "0-3\n");  // nobody's

  EXPECT_THAT(said_of(host, "irq_on_isolated"), ElementsAre("IRQ 24 (eth0): CPU 3"));
}

TEST(MachineChecks, ReadTheChosenHugepageSetting) {
  FakeHost host;
  host.file("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");

  EXPECT_THAT(values_of(host, "thp"), ElementsAre("always"));
}

TEST(MachineChecks, KnowThatThereIsNoSwap) {
  FakeHost host;
  host.file("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");

  EXPECT_THAT(values_of(host, "swap"), IsEmpty());
  host.file("proc/swaps",
            "Filename Type Size Used Priority\n/dev/sda2 partition 8388604 1024 -2\n");
  EXPECT_THAT(said_of(host, "swap"), ElementsAre("/dev/sda2, 8388604 KiB, 1024 in use"));
}

TEST(MachineChecks, FindSiblingThreadsWithoutTheSmtControl) {
  FakeHost host;
  host.file(kCpu + "online", "0-1\n")
      .file(kCpu + "cpu0/topology/thread_siblings_list", "0-1\n")
      .file(kCpu + "cpu1/topology/thread_siblings_list", "0-1\n");

  EXPECT_THAT(values_of(host, "smt"), ElementsAre("on"));
}

TEST(MachineChecks, NameNodesWithoutMemoryAndGaps) {
  FakeHost host;
  host.file("sys/devices/system/node/online", "0,2\n")
      .file("sys/devices/system/node/has_memory", "2\n")
      .file("sys/devices/system/node/has_cpu", "2\n");

  EXPECT_THAT(said_of(host, "memoryless_node"), ElementsAre("node 0: no memory"));
  EXPECT_THAT(values_of(host, "node_gap"), ElementsAre("0,2"));
}

TEST(MachineChecks, DecodeTheTaintMask) {
  FakeHost host;
  host.file("proc/sys/kernel/tainted", "4224\n");  // 1 << 7 and 1 << 12

  EXPECT_THAT(values_of(host, "taint"), ElementsAre("D", "O"));
}

TEST(MachineChecks, TakeTheHottestZone) {
  FakeHost host;
  host.file("sys/class/thermal/thermal_zone0/temp", "48200\n")
      .file("sys/class/thermal/thermal_zone1/temp", "81800\n")
      .file("sys/class/thermal/thermal_zone1/type", "cpu-thermal\n");

  EXPECT_THAT(said_of(host, "temperature_c"), ElementsAre("cpu-thermal: 81.8 degrees C"));
}

TEST(MachineChecks, TellAVirtualMachineByItsCpuOrItsFirmware) {
  FakeHost bare;
  bare.file("proc/cpuinfo", "flags\t\t: fpu vme\n")
      .file("sys/class/dmi/id/sys_vendor", "Dell Inc.\n");
  FakeHost guest;
  guest.file("proc/cpuinfo", "flags\t\t: fpu hypervisor\n");
  FakeHost arm;
  arm.file("proc/cpuinfo", "CPU part : 0xd08\n").file("sys/class/dmi/id/sys_vendor", "QEMU\n");

  EXPECT_THAT(values_of(bare, "hypervisor"), IsEmpty());
  EXPECT_THAT(said_of(guest, "hypervisor"), ElementsAre("CPU flag hypervisor"));
  EXPECT_THAT(said_of(arm, "hypervisor"), ElementsAre("QEMU"));
}

}  // namespace
}  // namespace rtsweep
