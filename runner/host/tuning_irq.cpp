// SPDX-License-Identifier: GPL-2.0-or-later

// Which CPUs take the interrupts.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "runner/base/text.h"
#include "runner/host/cpu_list.h"
#include "runner/host/tuning_changes.h"

namespace rtsweep::tuning {
namespace {

constexpr char kSetting[] = "irq_affinity";
constexpr char kInterrupts[] = "proc/irq";
constexpr char kDefault[] = "proc/irq/default_smp_affinity";

// As the kernel prints it (%*pbl): "0-1,3". The CPUs are sorted.
std::string list_text(const std::vector<int>& cpus) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < cpus.size();) {
    size_t end = begin;
    while (end + 1 < cpus.size() && cpus[end + 1] == cpus[end] + 1) ++end;
    parts.push_back(begin == end ? std::to_string(cpus[begin])
                                 : fmt::format("{}-{}", cpus[begin], cpus[end]));
    begin = end + 1;
  }
  return join(parts, ",");
}

bool is_number(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// A CPU that is not online would be accepted and take nothing.
std::string why_not(const HostRoot& host, const std::vector<int>& cpus) {
  const auto online = online_cpus(host);
  if (!online) return online.error().message();
  for (const int cpu : cpus) {
    if (std::ranges::find(*online, cpu) == online->end()) {
      return fmt::format("CPU {} is not online", cpu);
    }
  }
  return "";
}

}  // namespace

void add_irq_affinity(const HostRoot& host, const TuningSpec& spec, Changes& changes) {
  if (spec.irq_affinity.empty()) return;
  std::vector<int> cpus = spec.irq_affinity;
  std::ranges::sort(cpus);
  const std::string list = list_text(cpus);
  if (const std::string problem = why_not(host, cpus); !problem.empty()) {
    return add_problem(changes, kSetting, kInterrupts, list, problem);
  }
  if (!host.read(kDefault)) {
    return add_problem(changes, kSetting, kDefault, list,
                       "this kernel does not let interrupts be moved");
  }
  changes.push_back({.setting = kSetting, .file = kDefault, .value = cpu_mask(cpus)});
  for (const std::string& irq : entries_of(host, kInterrupts, "")) {
    const std::string file = fmt::format("{}/{}/smp_affinity_list", kInterrupts, irq);
    // Interrupts of a CPU of its own have no such file.
    if (!is_number(irq) || !host.read(file)) continue;
    changes.push_back({.setting = kSetting, .file = file, .value = list, .interrupt = true});
  }
}

}  // namespace rtsweep::tuning
