// SPDX-License-Identifier: GPL-2.0-or-later

// Memory: hugepages, swap, samepage merging, NUMA; and interrupts on isolated CPUs.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "runner/base/text.h"
#include "runner/host/cpu_list.h"
#include "runner/host/machine_checks_parts.h"

namespace rtsweep::machine_checks {
namespace {

constexpr const char* kNodes = "sys/devices/system/node/";

// "always [madvise] never"
void read_hugepages(const HostRoot& host, Observations& observed) {
  const std::string file = "sys/kernel/mm/transparent_hugepage/enabled";
  const auto text = text_in(host, file);
  if (!text) {
    // A kernel with /sys/kernel/mm and without the directory was built without them.
    if (!names_in(host, "sys/kernel/mm").empty()) observed["thp"];
    return;
  }
  const size_t open = text->find('[');
  const size_t close = text->find(']', std::min(open, text->size()));
  if (close == std::string::npos) return;
  observed["thp"] = {{text->substr(open + 1, close - open - 1), *text, "/" + file, 0}};
}

void read_swap(const HostRoot& host, Observations& observed) {
  const auto text = text_in(host, "proc/swaps");
  if (!text) return;
  auto& list = observed["swap"];
  for (const std::string& line : split(*text, '\n')) {
    const std::vector<std::string> word = words(line);
    if (word.size() < 4 || word[0] == "Filename") continue;
    list.push_back({word[0], fmt::format("{}, {} KiB, {} in use", word[0], word[2], word[3]),
                    "/proc/swaps", 0});
  }
}

std::optional<std::vector<int>> node_list(const HostRoot& host, const std::string& name) {
  const auto text = text_in(host, kNodes + name);
  if (!text) return std::nullopt;
  const auto nodes = parse_cpu_list(*text);
  return nodes ? std::optional(*nodes) : std::nullopt;
}

void read_nodes(const HostRoot& host, Observations& observed) {
  const auto online = node_list(host, "online");
  const auto memory = node_list(host, "has_memory");
  const auto cpus = node_list(host, "has_cpu");
  if (!online || !memory || !cpus) return;
  const auto has = [](const std::vector<int>& nodes, int node) {
    return std::ranges::find(nodes, node) != nodes.end();
  };
  auto& lacking = observed["memoryless_node"];
  for (const int node : *online) {
    if (has(*memory, node) && has(*cpus, node)) continue;
    lacking.push_back(
        {std::to_string(node),
         fmt::format("node {}: {}", node, has(*memory, node) ? "no CPUs" : "no memory"),
         "/sys/devices/system/node", 0});
  }
  auto& gap = observed["node_gap"];
  if (!online->empty() && online->back() + 1 != static_cast<int>(online->size())) {
    gap.push_back({number_ranges(*online), "nodes " + number_ranges(*online),
                   "/sys/devices/system/node/online", 0});
  }
}

void read_hint_faults(const HostRoot& host, Observations& observed) {
  for (const std::string& line : split(text_in(host, "proc/vmstat").value_or(""), '\n')) {
    const std::vector<std::string> word = words(line);
    if (word.size() != 2 || word[0] != "numa_hint_faults") continue;
    observed["numa_hint_faults"] = {{word[1], line, "/proc/vmstat", 0}};
  }
}

// The kernel has no such file when it was built without the feature.
void observe_optional(const HostRoot& host, const std::string& name, const std::string& file,
                      Observations& observed) {
  if (text_in(host, "proc/sys/kernel/ostype")) observed[name];
  observe_file(host, name, file, observed);
}

// The device behind an interrupt: a directory in /proc/irq/N of its name.
std::string irq_name(const HostRoot& host, const std::string& irq) {
  for (const std::string& name : names_in(host, "proc/irq/" + irq)) {
    if (std::filesystem::is_directory(host.path("proc/irq/" + irq + "/" + name))) return name;
  }
  return {};
}

}  // namespace

void read_memory(const HostRoot& host, Observations& observed) {
  read_hugepages(host, observed);
  read_swap(host, observed);
  read_nodes(host, observed);
  read_hint_faults(host, observed);
  observe_optional(host, "numa_balancing", "proc/sys/kernel/numa_balancing", observed);
  observe_optional(host, "ksm", "sys/kernel/mm/ksm/run", observed);
  observe_optional(host, "compact_unevictable", "proc/sys/vm/compact_unevictable_allowed",
                   observed);
}

void read_interrupts(const HostRoot& host, Observations& observed) {
  const auto isolated = isolated_cpus(host);
  if (!isolated) return;
  auto& list = observed["irq_on_isolated"];
  if (isolated->empty()) return;
  for (const std::string& irq : names_in(host, "proc/irq")) {
    const std::string name = irq_name(host, irq);
    if (name.empty()) continue;  // nobody has requested it
    auto text = text_in(host, "proc/irq/" + irq + "/effective_affinity_list");
    if (!text || text->empty()) text = text_in(host, "proc/irq/" + irq + "/smp_affinity_list");
    const auto cpus = parse_cpu_list(text.value_or(""));
    if (!cpus) continue;
    const bool on_isolated = std::ranges::any_of(
        *cpus, [&](int cpu) { return std::ranges::find(*isolated, cpu) != isolated->end(); });
    if (!on_isolated) continue;
    list.push_back({irq, fmt::format("IRQ {} ({}): CPU {}", irq, name, *text),
                    fmt::format("/proc/irq/{}", irq), 0});
  }
}

}  // namespace rtsweep::machine_checks
