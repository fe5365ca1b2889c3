// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/counters.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "runner/host/interrupts.h"
#include "runner/host/kernel_log.h"
#include "runner/host/task_scan.h"
#include "tests/support/fake_host.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FakeHost;
using ::testing::IsEmpty;
using ::testing::Pair;

// A short /proc/interrupts of a two-core VM (Linux 6.12): CPU2 is offline.
constexpr char kInterrupts[] =
    "           CPU0       CPU1       CPU3       \n"
    "  4:         12          0          1   IO-APIC   4-edge      ttyS0\n"
    " 24:          0        345          0  PCI-MSIX-0000:00:03.0   1-edge      virtio0-input.0\n"
    "LOC:      99887      77665          5   Local timer interrupts\n"
    "ERR:          3\n";

TEST(CountTable, KeepsColumnsWithTheirCpus) {
  const CountTable table = parse_count_table(kInterrupts);

  EXPECT_THAT(table.cpus, ElementsAre(0, 1, 3));
  EXPECT_THAT(table.rows.at("24").counts, ElementsAre(0, 345, 0));
  EXPECT_EQ(table.rows.at("24").name, "PCI-MSIX-0000:00:03.0 1-edge virtio0-input.0");
  EXPECT_THAT(table.rows.at("ERR").counts, ElementsAre(3));
}

TEST(InterruptSetup, FindsAThreadByItsName) {
  FakeHost host;
  host.file("proc/interrupts", kInterrupts).file("proc/irq/24/smp_affinity_list", "0-1\n");

  const auto setup = read_interrupt_setup(
      host.root(),
      {{.pid = 9, .name = "irq/24-virtio0", .policy = "fifo", .priority = 50, .kernel = true}});

  EXPECT_EQ(setup.at("24").affinity, "0-1");
  EXPECT_EQ(setup.at("24").thread_priority, 50);
  EXPECT_EQ(setup.at("4").thread_priority, std::nullopt);
  EXPECT_FALSE(setup.contains("LOC"));
}

// Lines of /proc/PID/stat as Linux 6.12 prints them.
TEST(RtTasks, AreReadFromEveryThreadWhateverItsName) {
  FakeHost host;
  host.file("proc/7/task/7/stat",
            "7 (irq/9-acpi) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 -51 0 1 0 38 0 0 "
            "18446744073709551615 0 0 0 0 0 0 0 2147483647 0 0 0 0 17 0 50 1 0 0 0\n")
      .file("proc/80/task/81/stat",
            "81 (a) b) (c) R 1 80 80 0 -1 64 0 0 0 0 0 0 0 0 -100 0 2 0 99 0 0 "
            "18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 99 1 0 0 0\n")
      .file("proc/90/task/90/stat",
            "90 (bash) S 1 90 90 0 -1 64 0 0 0 0 0 0 0 0 20 0 1 0 99 0 0 "
            "18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0\n")
      .file("proc/self/x", "")
      .file("proc/100/task/100/stat", "garbage");

  EXPECT_THAT(rt_tasks(host.root()), ElementsAre(RtTask{7, "irq/9-acpi", "fifo", 50, true},
                                                 RtTask{81, "a) b) (c", "fifo", 99, false}));
}

TEST(Counters, LeaveUnknownWhatTheMachineDoesNotCount) {
  SystemCommands commands;
  const Counters counters = read_counters(FakeHost().root(), commands);

  EXPECT_THAT(counters.cpus, IsEmpty());
  EXPECT_EQ(counters.throttled_bits, std::nullopt);
  EXPECT_EQ(counters.under_voltage, std::nullopt);
  EXPECT_EQ(counters.trace_lost_events, std::nullopt);
  EXPECT_EQ(counters.tainted, std::nullopt);
  EXPECT_TRUE(counters.monotonic_s);
}

TEST(Counters, AreReadWhereTheKernelKeepsThem) {
  FakeHost host;
  host.file("sys/devices/system/cpu/online", "0\n")
      .file("proc/stat", "cpu  1 0 1 9 0 0 0 3 0 0\ncpu0 1 0 1 9 0 0 0 3 0 0\nctxt 4711\n")
      .file("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1500000\n")
      .file("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "2\n")
      .file("sys/devices/system/cpu/cpu0/cpuidle/state1/name", "WFI\n")
      .file("sys/devices/system/cpu/cpu0/cpuidle/state1/usage", "10\n")
      .file("sys/devices/system/cpu/cpu0/cpuidle/state1/time", "2500\n")
      .file("sys/class/thermal/thermal_zone0/type", "cpu-thermal\n")
      .file("sys/class/thermal/thermal_zone0/temp", "48312\n")
      .file("sys/class/thermal/cooling_device0/type", "cpufreq-cpu0\n")
      .file("sys/class/thermal/cooling_device0/cur_state", "2\n")
      .file("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
      .file("sys/devices/platform/soc/soc:firmware/get_throttled", "50005\n")
      .file("sys/kernel/tracing/tracing_on", "1\n")
      .file("sys/kernel/tracing/current_tracer", "function\n")
      .file("sys/kernel/tracing/per_cpu/cpu0/stats",
            "entries: 5\noverrun: 40\ncommit overrun: 0\ndropped events: 2\n");
  SystemCommands commands;

  const Counters counters = read_counters(host.root(), commands);

  const CpuCounters& cpu = counters.cpus.at(0);
  EXPECT_EQ(cpu.steal_ms, 30);  // 3 ticks of USER_HZ, which is 100 everywhere
  EXPECT_EQ(cpu.khz, 1'500'000);
  EXPECT_EQ(cpu.thermal_throttles, 2);
  EXPECT_EQ(cpu.idle.at("WFI"), (IdleUse{10, 2500}));
  EXPECT_EQ(counters.context_switches, 4711);
  EXPECT_THAT(counters.temperatures_c, ElementsAre(Pair("cpu-thermal", 48.312)));
  EXPECT_THAT(counters.cooling, ElementsAre(Pair("cpufreq-cpu0 (cooling_device0)", 2)));
  EXPECT_EQ(counters.under_voltage, true);
  EXPECT_EQ(counters.throttled_bits, 0x50005);
  EXPECT_EQ(counters.trace_lost_events, 42);
  const nlohmann::json json = MeasurementCounters{.begin = counters};
  EXPECT_EQ(json.get<MeasurementCounters>().begin, counters);
}

TEST(Throttled, IsReadInEverySpelling) {
  EXPECT_EQ(parse_throttled("throttled=0x50000"), 0x50000);
  EXPECT_EQ(parse_throttled("50000"), 0x50000);
  EXPECT_EQ(parse_throttled("throttled=0x0"), 0);
  EXPECT_EQ(parse_throttled(""), std::nullopt);
  EXPECT_EQ(parse_throttled("throttled=none"), std::nullopt);
}

// The example of Documentation/ABI/testing/dev-kmsg.
TEST(KmsgLine, IsPrintedAsDmesgDoes) {
  EXPECT_EQ(kmsg_line("7,160,424069,-;pci_root PNP0A03:00: host bridge window\n SUBSYSTEM=acpi\n"),
            "[    0.424069] pci_root PNP0A03:00: host bridge window");
  EXPECT_EQ(kmsg_line("no record"), std::nullopt);
}

TEST(ObserverWatch, CountsWhatThisProcessDoes) {
  const ObserverWatch watch;
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(50)) {
  }
  const ObserverCost cost = watch.cost();
  EXPECT_GT(cost.cpu_s, 0.0);
  EXPECT_GE(cost.wall_s, 0.05);
  EXPECT_FALSE(cost.cpus.empty());
}

}  // namespace
}  // namespace rtsweep
