// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/memory_facts.h"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <climits>

#include "runner/base/text.h"
#include "runner/host/cpu_list.h"
#include "runner/host/kernel_log.h"
#include "runner/host/read_values.h"

namespace rtsweep {
namespace {

// "MemTotal:  131072 kB"
std::optional<int64_t> kib_in(std::string_view meminfo, std::string_view name) {
  const std::vector<std::string> value = words(colon_field(meminfo, name));
  return value.empty() ? std::nullopt : number_in(value[0]);
}

// "Node 1 MemTotal:       131072 kB"
std::optional<int64_t> node_mem_kib(const HostRoot& host, const std::string& node) {
  for (const std::string& line : split(text_of(host, node + "/meminfo"), '\n')) {
    const std::vector<std::string> word = words(line);
    if (word.size() >= 4 && word[2] == "MemTotal:") return number_in(word[3]);
  }
  return std::nullopt;
}

void read_numa(const HostRoot& host, MachineFacts& facts) {
  const auto text = host.read("sys/devices/system/node/online");
  if (!text) return;
  const auto nodes = parse_cpu_list(*text);
  if (!nodes) return;
  facts.numa_nodes = static_cast<int>(nodes->size());
  for (const int node : *nodes) {
    const std::string path = "sys/devices/system/node/node" + std::to_string(node);
    if (const auto kib = node_mem_kib(host, path)) facts.numa_mem_kib[node] = *kib;
    for (const std::string& distance : words(text_of(host, path + "/distance"))) {
      if (const auto value = number_in(distance)) facts.numa_distances[node].push_back(*value);
    }
  }
}

// The word in brackets of "always [madvise] never".
std::string chosen(std::string_view text) {
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos) return {};
  return std::string(text.substr(open + 1, close - open - 1));
}

std::string policy_name(int mode) {
  switch (mode & ~MPOL_MODE_FLAGS) {
    case MPOL_DEFAULT:
      return "default";
    case MPOL_PREFERRED:
      return "preferred";
    case MPOL_BIND:
      return "bind";
    case MPOL_INTERLEAVE:
      return "interleave";
    case MPOL_LOCAL:
      return "local";
    default:
      return "policy " + std::to_string(mode);
  }
}

// get_mempolicy(2) of this process, which its children inherit. A kernel without
// CONFIG_NUMA does not have the call.
std::string own_mempolicy() {
  int mode = 0;
  std::array<unsigned long, 16> mask{};  // 1024 nodes: the largest CONFIG_NODES_SHIFT
  const auto bits = static_cast<unsigned long>(mask.size() * sizeof(long) * CHAR_BIT);
  if (::syscall(SYS_get_mempolicy, &mode, mask.data(), bits, nullptr, 0UL) != 0) return {};
  std::string nodes;
  for (unsigned long node = 0; node < bits; ++node) {
    const unsigned long word_bits = sizeof(long) * CHAR_BIT;
    if ((mask[node / word_bits] >> (node % word_bits) & 1UL) == 0) continue;
    nodes += (nodes.empty() ? ":" : ",") + std::to_string(node);
  }
  return policy_name(mode) + nodes;
}

bool is_about_memory(std::string_view line) {
  std::string lower(line);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(
      std::array{"cma", "straddles", "faking a node", "faking node", "numa:", "numa="},
      [&](const char* word) { return lower.find(word) != std::string::npos; });
}

}  // namespace

void read_memory_facts(const HostRoot& host, MachineFacts& facts) {
  const std::string meminfo = text_of(host, "proc/meminfo");
  facts.mem_total_kib = kib_in(meminfo, "MemTotal");
  facts.cma_total_kib = kib_in(meminfo, "CmaTotal");
  facts.hugepages_total = kib_in(meminfo, "HugePages_Total");
  facts.page_size = ::sysconf(_SC_PAGESIZE);
  facts.transparent_hugepages = chosen(text_of(host, "sys/kernel/mm/transparent_hugepage/enabled"));
  facts.mempolicy = own_mempolicy();
  read_numa(host, facts);
  for (std::string& line : kernel_log_lines(host)) {
    if (is_about_memory(line)) facts.memory_log.push_back(std::move(line));
  }
}

}  // namespace rtsweep
