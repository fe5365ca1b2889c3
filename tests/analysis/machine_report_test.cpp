// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/machine_report.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;

Observations observed_in(std::string_view text) {
  auto report = read_machine_report(text, "paste.txt");
  if (report) return std::move(report->observed);
  ADD_FAILURE() << report.error().message();
  return {};
}

std::vector<std::string> values_of(const Observations& observed, const std::string& name) {
  std::vector<std::string> values;
  const auto it = observed.find(name);
  if (it == observed.end()) return {"unknown"};
  for (const Observation& one : it->second) values.push_back(one.value);
  return values;
}

TEST(MachineReport, DecodesTheThrottlingBits) {
  const Observations observed = observed_in("throttled=0x50005\n");

  EXPECT_THAT(values_of(observed, "throttled_now"), ElementsAre("under_voltage", "throttled"));
  EXPECT_THAT(values_of(observed, "throttled_since_boot"),
              ElementsAre("under_voltage", "throttled"));
  EXPECT_THAT(values_of(observed, "throttled_legend"), IsEmpty());
}

TEST(MachineReport, FindsNoThrottlingInZero) {
  const Observations observed = observed_in("throttled=0x0\n");

  EXPECT_THAT(values_of(observed, "throttled_now"), IsEmpty());
  EXPECT_THAT(values_of(observed, "throttled_since_boot"), IsEmpty());
}

// 20 digits are bits 19 to 0; the legend was drawn for 19.
TEST(MachineReport, CountsBinaryDigitsFromTheRightWhateverTheLegendSays) {
  const Observations observed = observed_in(
      "11100000000000000000\n"
      "|||             |||_ under-voltage\n");

  EXPECT_THAT(values_of(observed, "throttled_since_boot"),
              ElementsAre("frequency_capped", "throttled", "soft_temp_limit"));
  EXPECT_THAT(values_of(observed, "throttled_legend"), ElementsAre("20"));
}

TEST(MachineReport, JoinsWrappedRowsOfInterrupts) {
  const Observations observed = observed_in(
      "           CPU0       CPU1\n"
      " 11:       2196       1753     GICv3  30 Level\n"
      "  arch_timer\n"
      "205:       6891          0   PCI-MSI   0 Edge\n"
      "  PCIe PME, ath9k\n"
      "206:          3          0     GICv3  72 Level     mmc2\n"
      "IPI0:       620        751       Rescheduling interrupts\n"
      "Err:          0\n");

  EXPECT_THAT(values_of(observed, "busiest_interrupt"), ElementsAre("PCIe PME, ath9k"));
  EXPECT_THAT(values_of(observed, "irqs_on_one_cpu"), ElementsAre("0"));
}

TEST(MachineReport, ReadsAnX86TableOfInterrupts) {
  const Observations observed = observed_in(
      "            CPU0       CPU1\n"
      "   0:         40          0   IO-APIC    2-edge      timer\n"
      "  24:       1200        300   PCI-MSI 327680-edge      xhci_hcd\n"
      " LOC:     900000     800000   Local timer interrupts\n");

  EXPECT_THAT(values_of(observed, "busiest_interrupt"), ElementsAre("xhci_hcd"));
  EXPECT_THAT(values_of(observed, "irqs_on_one_cpu"), ElementsAre("unknown"));
}

TEST(MachineReport, RefusesTwoOutputsSideBySide) {
  const Observations observed = observed_in(
      "Architecture:   ppc64le          Architecture:   ppc64le\n"
      "CPU(s):         128              CPU(s):         128\n");

  EXPECT_THAT(values_of(observed, "report_refused"), ElementsAre("two_columns"));
  EXPECT_THAT(values_of(observed, "cpus"), ElementsAre("unknown"));
}

TEST(MachineReport, CountsOnlyWholeNodes) {
  const Observations observed = observed_in(
      "available: 2 nodes (0-1)\n"
      "node 0 cpus: 0 1\n"
      "node 0 size: 4000 MB\n"
      "node 1 cpus:\n"
      "node 1 size: 4096 MB\n"
      "node distances:\n");

  EXPECT_THAT(values_of(observed, "memoryless_node"), ElementsAre("1"));
  EXPECT_THAT(values_of(observed, "numa_nodes"), ElementsAre("1"));
  EXPECT_THAT(values_of(observed, "node_gap"), IsEmpty());
}

TEST(MachineReport, ReadsTheDateOfABootLoader) {
  const Observations observed = observed_in(
      "2025/11/05 14:31:16\n"
      "version 0123456789abcdef (release)\n");

  EXPECT_THAT(values_of(observed, "bootloader_date"), ElementsAre("20251105"));
}

TEST(MachineReport, LeavesOutEepromSectionsThatHoldForNoBoard) {
  const Observations observed =
      observed_in("[all]\nBOOT_UART=1\nSDRAM_BANKLOW=1\n[none]\nFREEZE_VERSION=1\n");

  EXPECT_THAT(values_of(observed, "eeprom"), ElementsAre("banklow"));
}

TEST(MachineReport, SaysWhatItWouldHaveRecognised) {
  EXPECT_THAT(read_machine_report("hello\n", "paste.txt"),
              FailsWith(Errc::kBadData, "not recognised: none of vcgencmd"));
}

TEST(MachineReport, SurvivesGarbage) {
  std::mt19937 random(1);  // NOLINT: the same garbage every time
  const std::string_view pieces[] = {"CPU0 CPU1\n",
                                     "1: ",
                                     "99999999999999999999 ",
                                     "Edge",
                                     "available: 2 nodes (0,",
                                     "9-99999999",
                                     ")\n",
                                     "node 0 size:",
                                     "throttled=0x",
                                     "ffffffffffffffffff\n",
                                     "Node 1 Total\n",
                                     "BOOT_ORDER=0x",
                                     "\xC2\xB0"
                                     "C",
                                     "Architecture: ",
                                     "\n",
                                     "|||"};
  for (int round = 0; round < 3000; ++round) {
    std::string text = "lscpu\n";
    for (int i = 0; i < 25; ++i) text += pieces[random() % std::size(pieces)];
    const auto report = read_machine_report(text, "garbage");
    EXPECT_TRUE(!report || !report->kinds.empty());
  }
}

}  // namespace
}  // namespace rtsweep
