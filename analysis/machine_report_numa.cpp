// SPDX-License-Identifier: GPL-2.0-or-later

// lscpu, numactl -H, numastat -p, and the files that are pasted beside them.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "analysis/machine_report_parts.h"
#include "runner/base/text.h"

namespace rtsweep::machine_report {
namespace {

// "ppc64le      Architecture:     ppc64le": the key comes again behind its value.
bool has_two_columns(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  return line.find(line.substr(0, colon + 1), colon + 1) != std::string_view::npos;
}

bool begins_lscpu(std::string_view line) { return trim(line).starts_with("Architecture:"); }

// What one line of lscpu says.
void read_lscpu_line(const Lines& lines, size_t index, Observations& observed) {
  const std::string& line = lines.text[index];
  const std::string said(trim(line));
  if (const auto cpus = value_behind(line, "CPU(s)")) {
    lines.observe(observed, "cpus", *cpus, "CPUs: " + *cpus, index);
  }
  if (const auto threads = value_behind(line, "Thread(s) per core")) {
    const bool several = leading_number(*threads).value_or(1) > 1;
    lines.observe(observed, "smt", several ? "on" : "off", "threads per core: " + *threads, index);
  }
  if (const auto nodes = value_behind(line, "NUMA node(s)")) {
    lines.observe(observed, "numa_nodes", *nodes, "NUMA nodes: " + *nodes, index);
  }
  for (const char* key : {"Hypervisor vendor", "Virtualization type"}) {
    const auto value = value_behind(line, key);
    if (value)
      lines.observe(observed, "hypervisor", *value, fmt::format("{}: {}", key, *value), index);
  }
}

std::set<int> nodes_in_parentheses(std::string_view line) {
  std::set<int> nodes;
  const size_t open = line.find('(');
  const size_t close = line.find(')', std::min(open, line.size()));
  if (close == std::string_view::npos) return nodes;
  for (const std::string& item : split(line.substr(open + 1, close - open - 1), ',')) {
    const auto first = leading_number(item);
    const size_t dash = item.find('-');
    const auto last = dash == std::string::npos ? first : leading_number(item.substr(dash + 1));
    if (!first || !last || *last > 4096) continue;
    for (int node = static_cast<int>(*first); node <= static_cast<int>(*last); ++node) {
      nodes.insert(node);
    }
  }
  return nodes;
}

void observe_gap(const Lines& lines, const std::set<int>& nodes, size_t index,
                 Observations& observed) {
  auto& gap = observed["node_gap"];
  if (nodes.empty() || *nodes.rbegin() + 1 == static_cast<int>(nodes.size())) return;
  const std::string list = number_ranges(std::vector<int>(nodes.begin(), nodes.end()));
  gap.push_back({list, "nodes " + list, lines.source, index + 1});
}

// "node 2 cpus: 0 1 2", "node 2 size: 32625 MB" behind "available: 2 nodes (0,2)".
class NodeTable {
 public:
  NodeTable(const Lines& lines, size_t begin) : lines_(lines), begin_(begin) {
    for (size_t i = begin + 1; i < lines.text.size(); ++i) {
      const std::vector<std::string> word = words(lines.text[i]);
      if (word.size() < 3 || word[0] != "node" || word[1] == "distances:") break;
      const int node = static_cast<int>(leading_number(word[1]).value_or(-1));
      if (word[2] == "cpus:") no_cpus_[node] = {word.size() == 3, i};
      if (word[2] == "size:" && word.size() > 3) no_memory_[node] = {word[3] == "0", i};
    }
  }

  void observe(Observations& observed) const {
    const std::set<int> nodes = nodes_in_parentheses(lines_.text[begin_]);
    auto& lacking = observed["memoryless_node"];
    size_t effective = 0;
    for (const int node : nodes) {
      const std::string what = lacks(node);
      if (what.empty()) {
        ++effective;
        continue;
      }
      lacking.push_back({std::to_string(node), fmt::format("node {}: {}", node, what),
                         lines_.source, no_memory_.at(node).second + 1});
    }
    for (Observation& one : lacking) {
      one.said += fmt::format("; {} of {} nodes is a whole one", effective, nodes.size());
    }
    observed["numa_nodes"] = {
        {std::to_string(effective),
         fmt::format("nodes with memory and CPUs: {} of {}", effective, nodes.size()),
         lines_.source, begin_ + 1}};
    observe_gap(lines_, nodes, begin_, observed);
  }

 private:
  std::string lacks(int node) const {
    const auto cpus = no_cpus_.find(node);
    const auto memory = no_memory_.find(node);
    if (cpus == no_cpus_.end() || memory == no_memory_.end()) return {};
    std::string what = memory->second.first ? "no memory" : "";
    if (cpus->second.first) what += what.empty() ? "no CPUs" : " and no CPUs";
    return what;
  }

  const Lines& lines_;
  size_t begin_;
  std::map<int, std::pair<bool, size_t>> no_cpus_;  // by node: whether, and the line
  std::map<int, std::pair<bool, size_t>> no_memory_;
};

bool read_first_node_table(const Lines& lines, Observations& observed) {
  for (size_t i = 0; i < lines.text.size(); ++i) {
    const std::string line(trim(lines.text[i]));
    if (!line.starts_with("available: ") || line.find(" nodes (") == std::string::npos) continue;
    NodeTable(lines, i).observe(observed);
    return true;
  }
  return false;
}

}  // namespace

// Several outputs may follow each other; the first is the machine's. One that has two
// columns is passed over as a whole.
bool read_lscpu(const Lines& lines, Observations& observed) {
  bool found = false;
  bool reading = false;
  for (size_t i = 0; i < lines.text.size(); ++i) {
    const std::string& line = lines.text[i];
    if (begins_lscpu(line)) {
      reading = !found && !has_two_columns(line);
      if (has_two_columns(line)) {
        lines.observe(observed, "report_refused", "two_columns",
                      "lscpu twice, side by side: not read", i);
      }
      found = true;
    }
    if (trim(line).starts_with("NUMA node0") || trim(line).empty()) reading = false;
    if (reading) read_lscpu_line(lines, i, observed);
  }
  if (found) observed["hypervisor"];
  return found;
}

bool read_numactl(const Lines& lines, Observations& observed) {
  bool found = read_first_node_table(lines, observed);
  for (size_t i = 0; i < lines.text.size(); ++i) {
    const std::string line(trim(lines.text[i]));
    const size_t balancing = line.find("/proc/sys/kernel/numa_balancing:");
    if (balancing != std::string::npos) {
      const std::string value(trim(std::string_view(line).substr(balancing + 32)));
      lines.observe(observed, "numa_balancing", value, line, i);
      found = true;
    }
    const std::vector<std::string> word = words(line);
    const bool vmstat = word.size() >= 2 && word[0] == "numa_hint_faults" &&
                        word[1].find_first_not_of("0123456789") == std::string::npos;
    if (!vmstat || observed.contains("numa_hint_faults")) continue;
    lines.observe(observed, "numa_hint_faults", word[1], word[0] + " " + word[1], i);
    found = true;
  }
  return found;
}

// "           Node 0          Node 8           Total": the heading names the nodes.
bool read_numastat(const Lines& lines, Observations& observed) {
  bool found = false;
  for (size_t i = 0; i < lines.text.size(); ++i) {
    const std::vector<std::string> word = words(lines.text[i]);
    if (word.size() < 3 || word[0] != "Node" || word.back() != "Total") continue;
    std::set<int> nodes;
    for (size_t at = 0; at + 1 < word.size(); ++at) {
      if (word[at] == "Node")
        nodes.insert(static_cast<int>(leading_number(word[at + 1]).value_or(0)));
    }
    observe_gap(lines, nodes, i, observed);
    found = true;
  }
  return found;
}

}  // namespace rtsweep::machine_report
