// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/machine_facts.h"

#include <algorithm>
#include <string_view>

#include "analysis/json_fields.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr std::string_view kConfig = "CONFIG_";

// What names of options begin with. Names end anywhere: HZ_250, KASAN_GENERIC.
constexpr std::string_view kPrefixes[] = {"PREEMPT",
                                          "HZ",
                                          "NO_HZ",
                                          "HIGH_RES_TIMERS",
                                          "SMP",
                                          "SCHED_SMT",
                                          "SCHED_MC",
                                          "RCU_",
                                          "TASKS_RCU",
                                          "CPU_FREQ",
                                          "CPU_IDLE",
                                          "CPU_ISOLATION",
                                          "CPUSETS",
                                          "NUMA",
                                          "CMA",
                                          "DMA_CMA",
                                          "TRANSPARENT_HUGEPAGE",
                                          "COMPACTION",
                                          "KSM",
                                          "HUGETLBFS",
                                          "HIGHMEM",
                                          "ARM64_16K_PAGES",
                                          "ARM64_64K_PAGES",
                                          "ARM64_4K_PAGES",
                                          "DEBUG_",
                                          "PROVE_",
                                          "LOCK",
                                          "KASAN",
                                          "KCSAN",
                                          "KMSAN",
                                          "UBSAN",
                                          "KFENCE",
                                          "KMEMLEAK",
                                          "KCOV",
                                          "GCOV",
                                          "LATENCYTOP",
                                          "SCHEDSTATS",
                                          "SCHED_DEBUG",
                                          "SLUB_DEBUG_ON",
                                          "IRQSOFF_TRACER",
                                          "PREEMPT_TRACER",
                                          "FUNCTION_TRACER",
                                          "DYNAMIC_FTRACE",
                                          "STACK_TRACER",
                                          "TIMERLAT_TRACER",
                                          "OSNOISE_TRACER",
                                          "HWLAT_TRACER",
                                          "HIST_TRIGGERS",
                                          "TRACE_IRQFLAGS",
                                          "SYNTH_EVENTS",
                                          "WATCHDOG",
                                          "SOFTLOCKUP",
                                          "HARDLOCKUP",
                                          "DETECT_HUNG_TASK",
                                          "IRQ_FORCED_THREADING",
                                          "IPIPE",
                                          "DOVETAIL",
                                          "XENOMAI",
                                          "EVL",
                                          "PARAVIRT",
                                          "RANDOMIZE_KSTACK",
                                          "PAGE_TABLE_ISOLATION",
                                          "UNMAP_KERNEL",
                                          "LOCALVERSION",
                                          "CC_OPTIMIZE",
                                          "ACPI_PROCESSOR"};

}  // namespace

bool is_latency_option(std::string_view option) {
  if (option.starts_with(kConfig)) option.remove_prefix(kConfig.size());
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return option.starts_with(prefix); });
}

std::map<std::string, std::string> latency_options(std::string_view config) {
  std::map<std::string, std::string> options;
  for (const std::string& line : split(config, '\n')) {
    const size_t equals = line.find('=');
    if (!line.starts_with(kConfig) || equals == std::string::npos) continue;
    const std::string name = line.substr(kConfig.size(), equals - kConfig.size());
    std::string value(trim(std::string_view(line).substr(equals + 1)));
    if (value != "n" && is_latency_option(name)) options[name] = std::move(value);
  }
  return options;
}

void to_json(nlohmann::json& json, const MachineFacts& facts) { json = json_of_fields(facts); }

void from_json(const nlohmann::json& json, MachineFacts& facts) {
  facts = value_of_json<MachineFacts>(json);
}

}  // namespace rtsweep
