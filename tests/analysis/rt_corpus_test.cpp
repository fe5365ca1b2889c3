// SPDX-License-Identifier: GPL-2.0-or-later

// Configs, boot logs and reports that others wrote: what a reviewer would flag is found, and
// what is right, or is a trap, is not. Expectations are those of each case's meta.md.

#include <gmock/gmock.h>

#include <algorithm>

#include "analysis/machine_report.h"
#include "tests/analysis/rt_rules_support.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using testing::codes_of;
using testing::config_of;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::rt_rules;

enum class Input { kConfig, kLog, kReport };

struct Case {
  std::string id;  // the beginning of the folder's name
  std::string file;
  Input input = Input::kConfig;
  std::vector<std::string> found;
  std::vector<std::string> absent;
  std::vector<std::string> says;  // somewhere in what the findings point at
};

const std::vector<Case> kCases = {
    {"D01",
     "config",
     Input::kConfig,
     {"not_rt", "lockdep", "debug_atomic_sleep", "kasan", "debug_objects", "debug_pagealloc",
      "debug_preempt", "latencytop", "numa_emu_built_in", "thp_default", "numa_balancing_default"},
     {"cokernel_cobalt", "cokernel_evl", "governor_default", "hz_low", "high_res_timers_off",
      "periodic_tick", "irqsoff_tracer", "kcov"},
     {"# CONFIG_PREEMPT_RT is not set"}},
    {"D02",
     "config",
     Input::kConfig,
     {"not_rt", "hz_low", "thp_default", "numa_balancing_default", "debug_preempt"},
     {"lockdep", "kasan", "governor_default", "cokernel_evl", "debug_pagealloc"},
     {"CONFIG_HZ_100=y"}},
    {"D03",
     "config",
     Input::kConfig,
     {"cokernel_evl", "evl_watchdog", "evl_runstats", "governor_default", "cpu_idle_built_in",
      "latencytop", "thp_default"},
     {"not_rt", "evl_debug", "lockdep", "hz_low"},
     {"CONFIG_EVL=y"}},
    {"D06",
     "config",
     Input::kConfig,
     {"cokernel_cobalt", "lockdep", "debug_atomic_sleep", "debug_pagealloc", "slub_debug_on",
      "debug_preempt", "ipipe_debug", "ipipe_tracer", "cpu_idle_built_in"},
     {"not_rt", "hz_low", "cokernel_acpi_processor", "cokernel_migration", "cokernel_compaction",
      "thp_default", "cokernel_cpu_freq"},
     {"CONFIG_XENOMAI=y"}},
    {"D07",
     "k1_evl_defconfig",
     Input::kConfig,
     {"cokernel_evl", "evl_debug", "irqsoff_tracer", "config_ignored"},
     {"not_rt", "high_res_timers_off", "rt_not_requested", "function_tracer_static", "tracing_off",
      "rcu_boost_off", "lockdep"},
     {"CONFIG_EVL_DEBUG_CORE=y", "CONFIG_EVL_DEBUG_MEMORY"}},
    {"D08",
     "bcm2712_defconfig_RT_NTP",
     Input::kConfig,
     {"periodic_tick", "latencytop", "stack_tracer", "sched_tracer", "debug_memory_init"},
     {"not_rt", "rt_not_requested", "config_conflict", "governor_default", "lockdep", "hz_low",
      "cma_not_reserved", "high_res_timers_off"},
     {"CONFIG_HZ_PERIODIC=y"}},
    {"D10",
     "rt.cfg",
     Input::kConfig,
     {"config_conflict", "config_duplicate", "hz_not_a_choice"},
     {"not_rt", "governor_default", "debug_preempt", "irqsoff_tracer", "high_res_timers_off"},
     {"CONFIG_PREEMPT=y and CONFIG_PREEMPT_RT=y", "CONFIG_CPU_FREQ_DEFAULT_GOV_POWERSAVE"}},
    {"D11",
     "config",
     Input::kConfig,
     {"cokernel_cobalt", "cokernel_cpu_freq", "cokernel_cma", "cokernel_compaction",
      "cokernel_migration"},
     {"not_rt", "rt_not_requested"},
     {"CONFIG_CPU_FREQ=y"}},
    {"D12",
     "config",
     Input::kConfig,
     {"cokernel_cobalt", "old_kernel", "cpu_idle_built_in", "tracing_off"},
     {"not_rt", "lockdep", "hz_low"},
     {"CONFIG_CPU_IDLE=y"}},

    {"F01",
     "boot.txt",
     Input::kLog,
     {"not_rt", "console_fault", "lone_node"},
     {"numa_fake_not_effective", "several_numa_nodes", "cma_not_reserved", "vm", "log_starts_late"},
     {"[3.746032] Unable to handle kernel NULL pointer"}},
    {"F01",
     "boot-quoted.txt",
     Input::kLog,
     {"not_rt", "console_fault", "lone_node"},
     {"several_numa_nodes", "cma_not_reserved", "vm"},
     {"[3.746032] Unable to handle kernel NULL pointer"}},
    {"F08",
     "report.txt",
     Input::kLog,
     {"kernel_bug", "kcov", "lockdep", "vm"},
     {"not_rt", "console_fault"},
     {"(5 times); interrupts were off", "Google Compute Engine"}},
    {"F10",
     "kernel-panic-and-reset-overlapped.txt",
     Input::kLog,
     {"console_fault"},
     {"rt_throttled"},
     {"Kernel panic - not syncing: Fatal exception"}},
    {"F10",
     "kernel-panic.txt",
     Input::kLog,
     {"init_missing"},
     {"console_fault", "kernel_bug", "log_starts_late"},
     {"Attempted to kill init! exitcode=0x00000200"}},
    {"F10", "kernel-bug.txt", Input::kLog, {"log_starts_late", "console_fault"}, {}, {"15.44"}},
    {"F11",
     "kernel-many-errors.txt",
     Input::kLog,
     {"not_rt", "console_fault", "lockdep"},
     {"vm", "log_starts_late"},
     {"Internal error: Oops - BUG: 0 [#1] PREEMPT SMP; then: BUG: spinlock lockup suspected (7), "
      "Watchdog detected hard LOCKUP (2)"}},
    {"F12",
     "pass-1.yaml",
     Input::kLog,
     {"vm", "not_rt", "lone_node"},
     {"console_fault", "init_missing", "several_numa_nodes", "numa_fake_not_effective"},
     {"DMI: QEMU Standard PC"}},
    {"F13",
     "imx8mm-panic.txt",
     Input::kLog,
     {"console_fault", "lone_node", "not_rt"},
     {"several_numa_nodes", "cma_not_reserved"},
     {"Kernel panic - not syncing: kernel stack overflow"}},
    {"F13",
     "thunderx2-srat-2-nodes.txt",
     Input::kLog,
     {"several_numa_nodes", "cma_not_reserved"},
     {"lone_node", "console_fault"},
     {"NUMA nodes: 2", "cma: Failed to reserve 512 MiB"}},

    {"G02",
     "sbc-bench-3Llk.txt",
     Input::kReport,
     {"throttled_since_boot", "throttled_legend", "overclocked", "clock_deviation"},
     {"under_voltage", "thermal_throttled", "hot"},
     {"0xE0000", "frequency capped (bit 17), throttled (bit 18), soft temperature limit (bit 19)",
      "asked for 1600 MHz, measured 1185 MHz", "over_voltage=6"}},
    {"G03",
     "sbc-bench-1MFf.txt",
     Input::kReport,
     {"throttled_since_boot", "hot"},
     {"under_voltage", "thermal_throttled", "throttled_legend", "overclocked", "clock_deviation"},
     {"0x20000", "frequency capped (bit 17)", "81.8"}},
    {"G05",
     "unquoted.txt",
     Input::kReport,
     {"busiest_interrupt", "irqs_on_one_cpu", "interrupt_missing"},
     {"vm"},
     {"PCIe PME: 6891 interrupts", "ath9k: 0, 379, 0", "CPU 0"}},
    {"G05",
     "quoted.txt",
     Input::kReport,
     {"busiest_interrupt", "irqs_on_one_cpu", "interrupt_missing"},
     {},
     {"PCIe PME: 6891 interrupts", "ath9k: 0, 379, 0"}},
    {"G07",
     "numactl-vmstat.txt",
     Input::kReport,
     {"memoryless_node", "numa_balancing", "numa_hint_faults"},
     {"several_numa_nodes"},
     {"node 0: no memory and no CPUs; 1 of 2 nodes", "numa_hint_faults 13717222"}},
    {"G07", "numastat-p-nodes-0-8.txt", Input::kReport, {"node_gap"}, {}, {"nodes 0,8"}},
    {"G08",
     "lscpu.txt",
     Input::kReport,
     {"report_refused", "vm", "smt", "several_numa_nodes", "many_cpus"},
     {},
     {"CPUs: 1024", "pHyp", "NUMA nodes: 16", "side by side"}},
    {"G09",
     "imager_2711-config_boot-conf-sd.txt",
     Input::kReport,
     {"eeprom_self_update", "eeprom_numa_default", "eeprom_boot_order"},
     {"eeprom_frozen", "eeprom_signed"},
     {"0xf41: SD card, then USB, then restart"}},
    {"G09",
     "imager_2712-config_boot-conf-usb.txt",
     Input::kReport,
     {"eeprom_numa_default", "eeprom_boot_order"},
     {"eeprom_self_update"},
     {"0xf146: NVMe, then USB, then SD card, then restart"}},
    {"G09", "test_bootconf-2019-07-15-freeze.txt", Input::kReport, {"eeprom_frozen"}, {}, {}},
    {"G09", "test_bootconf.txt", Input::kReport, {"eeprom_signed"}, {"eeprom_frozen"}, {}},
    {"G09", "test_bootconf-2019-05-10.txt", Input::kReport, {"eeprom_numa_default"}, {}, {}},
    {"G09",
     "test_configs_bootconf-2019-09-25.txt",
     Input::kReport,
     {"eeprom_boot_order"},
     {"eeprom_frozen"},
     {}},
    {"G09", "rpi-eeprom-update-default", Input::kReport, {"eeprom_channel"}, {}, {"default"}}};

fs::path corpus_file(const Case& one) {
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(RTSWEEP_CORPUS_DIR, ec)) {
    if (entry.path().filename().string().starts_with(one.id + "-")) return entry.path() / one.file;
  }
  return {};
}

SystemView view_of(const Case& one, const std::string& text) {
  SystemView view;
  if (one.input == Input::kConfig) {
    view.config = config_of(text);
  } else if (one.input == Input::kLog) {
    view.log = text;
  } else {
    auto report = read_machine_report(text, one.file);
    EXPECT_TRUE(report.has_value()) << one.file;
    if (report) view.observed = std::move(report->observed);
  }
  return completed(std::move(view));
}

std::string evidence_of(const CheckResult& result) {
  std::string all;
  for (const RtFinding& finding : result.findings) {
    for (const Evidence& one : finding.where) all += one.text + "\n";
  }
  return all;
}

class Corpus : public ::testing::TestWithParam<Case> {};

TEST_P(Corpus, SaysWhatAReviewerWouldFlag) {
  if (!fs::exists(RTSWEEP_CORPUS_DIR)) GTEST_SKIP() << "needs " << RTSWEEP_CORPUS_DIR;
  const auto text = read_file(corpus_file(GetParam()));
  ASSERT_TRUE(text.has_value()) << text.error().message();

  const SystemView view = view_of(GetParam(), *text);
  const CheckResult result = check_system(rt_rules(), view);

  for (const std::string& code : GetParam().found) EXPECT_THAT(codes_of(result), Contains(code));
  for (const std::string& code : GetParam().absent) {
    EXPECT_THAT(codes_of(result), Not(Contains(code)));
  }
  for (const std::string& words : GetParam().says) {
    EXPECT_THAT(evidence_of(result), HasSubstr(words));
  }
}

INSTANTIATE_TEST_SUITE_P(OfClassesDFG, Corpus, ::testing::ValuesIn(kCases),
                         [](const auto& param_info) {
                           std::string name = param_info.param.id + "_" + param_info.param.file;
                           for (char& c : name) c = std::isalnum(c) != 0 ? c : '_';
                           return name;
                         });

// Every folder of these classes has a case above.
TEST(CorpusCases, CoverEveryFolderOfTheirClasses) {
  std::error_code ec;
  if (!fs::exists(RTSWEEP_CORPUS_DIR)) GTEST_SKIP() << "needs " << RTSWEEP_CORPUS_DIR;
  for (const auto& entry : fs::directory_iterator(RTSWEEP_CORPUS_DIR, ec)) {
    const std::string id = entry.path().filename().string().substr(0, 3);
    if (std::string("DFG").find(id[0]) == std::string::npos) continue;
    EXPECT_TRUE(std::ranges::any_of(kCases, [&](const Case& one) { return one.id == id; })) << id;
  }
}

// Flavours and kinds that no rule states but the head of the report does.
TEST(CorpusCases, TellFullConfigsFromDefconfigsAndFragments) {
  if (!fs::exists(RTSWEEP_CORPUS_DIR)) GTEST_SKIP() << "needs " << RTSWEEP_CORPUS_DIR;
  const auto kind_of = [](const std::string& id, const std::string& file) {
    const auto text = read_file(corpus_file({.id = id, .file = file}));
    return text ? config_of(*text).kind : ConfigKind::kFull;
  };

  EXPECT_EQ(kind_of("D01", "config"), ConfigKind::kFull);
  EXPECT_EQ(kind_of("D12", "config"), ConfigKind::kFull);
  EXPECT_EQ(kind_of("D08", "bcm2712_defconfig_RT_NTP"), ConfigKind::kDefconfig);
  EXPECT_EQ(kind_of("D07", "k1_evl_defconfig"), ConfigKind::kFragment);
  EXPECT_EQ(kind_of("D10", "rt.cfg"), ConfigKind::kFragment);
}

}  // namespace
}  // namespace rtsweep
