// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/boot_parameter_effects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analysis/number_list.h"
#include "runner/base/text.h"

// Meanings: Documentation/admin-guide/kernel-parameters.txt.

namespace rtsweep {
namespace {

using Mismatch = std::optional<std::string>;

std::string listed(const std::vector<int>& numbers) {
  return numbers.empty() ? "none" : fmt::format("{}", fmt::join(numbers, ","));
}

Mismatch differ(std::string_view value, const std::vector<int>& effective) {
  const auto wanted = parse_number_list(value);
  if (!wanted) return std::nullopt;
  if (*wanted == std::set<int>(effective.begin(), effective.end())) return std::nullopt;
  return fmt::format("the kernel has {}", listed(effective));
}

// A number of nodes; a size gives as many nodes as fit, "2U" as many for each real node.
Mismatch fake_nodes(std::string_view value, const MachineFacts& facts) {
  const int nodes = facts.numa_nodes.value_or(1);
  const std::string has =
      facts.numa_nodes ? fmt::format("the kernel has {} node(s)", nodes) : "the kernel has no NUMA";
  if (const auto exact = parse_whole(value)) {
    return nodes == *exact ? std::nullopt : Mismatch(has);
  }
  if (value.ends_with('U')) {
    const auto each = parse_whole(value.substr(0, value.size() - 1));
    return each && *each > 0 && nodes % *each == 0 ? std::nullopt : Mismatch(has);
  }
  return nodes > 1 ? std::nullopt : Mismatch(has);
}

// "domain,managed_irq,1-3": without flags, and with "domain", the CPUs leave the
// scheduler's domains, and only then the kernel lists them.
Mismatch isolated(std::string_view value, const MachineFacts& facts) {
  bool flags = false;
  bool domain = false;
  std::string cpus;
  for (const std::string& part : split(value, ',')) {
    const bool flag = part == "domain" || part == "nohz" || part == "managed_irq";
    flags = flags || flag;
    domain = domain || part == "domain";
    if (!flag) cpus += (cpus.empty() ? "" : ",") + part;
  }
  return flags && !domain ? std::nullopt : differ(cpus, facts.isolated_cpus);
}

Mismatch nohz_full(std::string_view value, const MachineFacts& facts) {
  return differ(value, facts.nohz_full_cpus);
}

Mismatch at_most_cpus(std::string_view value, const MachineFacts& facts) {
  const auto most = parse_whole(value);
  const auto online = static_cast<int64_t>(facts.online_cpus.size());
  if (!most || online <= std::max<int64_t>(*most, 1)) return std::nullopt;
  return fmt::format("{} CPUs are online", online);
}

Mismatch one_cpu(std::string_view /*value*/, const MachineFacts& facts) {
  return at_most_cpus("1", facts);
}

Mismatch at_most_memory(std::string_view value, const MachineFacts& facts) {
  const auto bytes = parse_size(value);
  if (!bytes || !facts.mem_total_kib || *facts.mem_total_kib <= *bytes / 1024) return std::nullopt;
  return fmt::format("the kernel has {} KiB", *facts.mem_total_kib);
}

// "64M", "64M@1G", "64M@1G-2G". The kernel rounds up to what it can hand out.
Mismatch cma(std::string_view value, const MachineFacts& facts) {
  const auto bytes = parse_size(value.substr(0, value.find('@')));
  if (!bytes) return std::nullopt;
  const int64_t kib = facts.cma_total_kib.value_or(0);
  const bool enough = *bytes == 0 ? kib == 0 : kib >= *bytes / 1024;
  return enough ? std::nullopt : Mismatch(fmt::format("the kernel has {} KiB of CMA", kib));
}

Mismatch clocksource(std::string_view value, const MachineFacts& facts) {
  if (facts.clocksource.empty() || facts.clocksource == value) return std::nullopt;
  return fmt::format("the kernel uses {}", facts.clocksource);
}

Mismatch hugepage_mode(std::string_view value, const MachineFacts& facts) {
  if (facts.transparent_hugepages == value) return std::nullopt;
  return facts.transparent_hugepages.empty()
             ? std::string("the kernel has no transparent huge pages")
             : fmt::format("the kernel has {}", facts.transparent_hugepages);
}

Mismatch hugepages(std::string_view value, const MachineFacts& facts) {
  const auto wanted = parse_whole(value);
  if (!wanted || facts.hugepages_total.value_or(0) >= *wanted) return std::nullopt;
  return fmt::format("the kernel has {} huge pages", facts.hugepages_total.value_or(0));
}

Mismatch no_smt(std::string_view /*value*/, const MachineFacts& facts) {
  if (facts.smt != "on") return std::nullopt;
  return std::string("SMT is on");
}

Mismatch preempt(std::string_view value, const MachineFacts& facts) {
  if (facts.preemption.empty() || facts.preemption == value) return std::nullopt;
  return fmt::format("the kernel preempts as \"{}\"", facts.preemption);
}

Mismatch needs_option(const MachineFacts& facts, const char* option) {
  if (facts.kernel_config.empty() || facts.kernel_config.contains(option)) return std::nullopt;
  return fmt::format("the kernel has no CONFIG_{}", option);
}

Mismatch rcu_nocbs(std::string_view /*value*/, const MachineFacts& facts) {
  return needs_option(facts, "RCU_NOCB_CPU");
}

Mismatch no_idle_states(std::string_view value, const MachineFacts& facts) {
  if (value != "1" && value != "poll") return std::nullopt;
  if (facts.idle_states.empty()) return std::nullopt;
  return fmt::format("CPU {} has {} idle states", facts.idle_states.begin()->first,
                     facts.idle_states.begin()->second.size());
}

Mismatch threaded_interrupts(std::string_view /*value*/, const MachineFacts& facts) {
  const auto threaded = [](const auto& entry) { return entry.second.thread_priority.has_value(); };
  if (facts.interrupts.empty() || std::ranges::any_of(facts.interrupts, threaded)) {
    return std::nullopt;
  }
  return std::string("no interrupt has a thread");
}

Mismatch default_governor(std::string_view value, const MachineFacts& facts) {
  for (const auto& [cpu, governor] : facts.governors) {
    if (governor != value) return fmt::format("CPU {} has the {} governor", cpu, governor);
  }
  return facts.governors.empty() ? Mismatch("no CPU has a governor") : std::nullopt;
}

constexpr BootParameterEffect kEffects[] = {
    {"numa=fake=", "nodes in /sys/devices/system/node", "numa_not_effective", fake_nodes},
    {"isolcpus=", "/sys/devices/system/cpu/isolated", "level_not_effective", isolated},
    {"nohz_full=", "/sys/devices/system/cpu/nohz_full", "level_not_effective", nohz_full},
    {"rcu_nocbs=", "CONFIG_RCU_NOCB_CPU", "level_not_effective", rcu_nocbs},
    {"maxcpus=", "/sys/devices/system/cpu/online", "level_not_effective", at_most_cpus},
    {"nr_cpus=", "/sys/devices/system/cpu/online", "level_not_effective", at_most_cpus},
    {"nosmp", "/sys/devices/system/cpu/online", "level_not_effective", one_cpu},
    {"nosmt", "/sys/devices/system/cpu/smt/control", "level_not_effective", no_smt},
    {"mem=", "MemTotal in /proc/meminfo", "level_not_effective", at_most_memory},
    {"cma=", "CmaTotal in /proc/meminfo", "level_not_effective", cma},
    {"hugepages=", "HugePages_Total in /proc/meminfo", "level_not_effective", hugepages},
    {"transparent_hugepage=", "/sys/kernel/mm/transparent_hugepage/enabled", "level_not_effective",
     hugepage_mode},
    {"clocksource=", "/sys/devices/system/clocksource/clocksource0/current_clocksource",
     "level_not_effective", clocksource},
    {"preempt=", "uname -v, /sys/kernel/debug/sched/preempt", "level_not_effective", preempt},
    {"cpuidle.off=", "/sys/devices/system/cpu/cpu*/cpuidle", "level_not_effective", no_idle_states},
    {"idle=", "/sys/devices/system/cpu/cpu*/cpuidle", "level_not_effective", no_idle_states},
    {"threadirqs", "threads of interrupts", "level_not_effective", threaded_interrupts},
    {"cpufreq.default_governor=", "scaling_governor of every CPU", "level_not_effective",
     default_governor},
};

}  // namespace

std::span<const BootParameterEffect> boot_parameter_effects() { return kEffects; }

const BootParameterEffect* find_effect(std::string_view boot_parameter) {
  const auto* found = std::ranges::find_if(kEffects, [&](const BootParameterEffect& effect) {
    return effect.parameter.ends_with('=') ? boot_parameter.starts_with(effect.parameter)
                                           : boot_parameter == effect.parameter;
  });
  return found == std::end(kEffects) ? nullptr : found;
}

}  // namespace rtsweep
