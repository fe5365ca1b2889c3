// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/number_list.h"
#include "analysis/reason_catalogue.h"
#include "analysis/trial_check_parts.h"
#include "runner/base/text.h"

namespace rtsweep::checks {
namespace {

// Empty for "all", and for what is no list of nodes.
std::set<int> parse_nodes(std::string_view text) {
  return parse_number_list(text).value_or(std::set<int>());
}

struct Policy {
  std::string mode;
  std::set<int> nodes;  // empty: any
};

// "bind:0" as a plan writes it.
Policy requested_policy(std::string_view text) {
  const size_t colon = std::min(text.find(':'), text.size());
  std::string mode(text.substr(0, colon));
  if (mode == "preferred") mode = "prefer";
  return {mode, colon < text.size() ? parse_nodes(text.substr(colon + 1)) : std::set<int>()};
}

// The second word of a line of numa_maps: "bind:0", "prefer (many):1", "bind=static:0".
Policy effective_policy(const std::vector<std::string>& line) {
  const std::string text = line[1] + (line.size() > 2 && line[2].starts_with('(') ? line[2] : "");
  const size_t end = std::min(text.find_first_of(":=("), text.size());
  const size_t colon = text.rfind(':');
  return {text.substr(0, end),
          colon == std::string::npos ? std::set<int>() : parse_nodes(text.substr(colon + 1))};
}

bool has_word(const std::vector<std::string>& line, std::string_view word) {
  return std::find(line.begin(), line.end(), word) != line.end();
}

// The nodes that hold pages of the line: "N0=3 N1=5".
std::set<int> nodes_with_pages(const std::vector<std::string>& line) {
  std::set<int> nodes;
  for (const std::string& word : line) {
    const size_t equals = word.find('=');
    if (!word.starts_with('N') || equals == std::string::npos) continue;
    if (const auto node = parse_whole(std::string_view(word).substr(1, equals - 1))) {
      nodes.insert(static_cast<int>(*node));
    }
  }
  return nodes;
}

bool contains_all(const std::set<int>& all, const std::set<int>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

// Heap and stack have the policy of the process; other mappings may have one of their
// own (cyclictest places its threads' stacks itself). Pages of files lie where whoever
// read the file first put them.
std::string policy_mismatch(const Policy& wanted, const std::string& numa_maps) {
  bool seen = false;
  for (const std::string& text : split(numa_maps, '\n')) {
    const std::vector<std::string> line = words(text);
    if (line.size() < 2) continue;
    if (has_word(line, "heap") || has_word(line, "stack")) {
      seen = true;
      const Policy found = effective_policy(line);
      const bool nodes_fit = wanted.nodes.empty() || found.nodes == wanted.nodes;
      if (found.mode != wanted.mode || !nodes_fit) return fmt::format("its memory is {}", line[1]);
    }
    const bool anonymous =
        text.find("anon=") != std::string::npos && text.find("file=") == std::string::npos;
    if (wanted.mode == "bind" && !wanted.nodes.empty() && anonymous &&
        !contains_all(wanted.nodes, nodes_with_pages(line))) {
      return fmt::format("some of its pages lie elsewhere ({})", trim(text));
    }
  }
  return seen ? "" : "the kernel does not tell where its memory is";
}

}  // namespace

void check_memory_policy(const TrialEvidence& evidence, Reasons& reasons) {
  const auto check = [&](std::string_view who, const std::string& wanted,
                         const std::string& numa_maps) {
    if (wanted.empty() || wanted == "default") return;
    const std::string mismatch = policy_mismatch(requested_policy(wanted), numa_maps);
    if (mismatch.empty()) return;
    reasons.push_back(
        make_reason("memory_policy_not_effective",
                    fmt::format("{} was to have memory {}, and {}", who, wanted, mismatch)));
  };
  if (run_of(evidence) == nullptr) return;
  check("the probe", evidence.planned.memory, evidence.numa_maps);
  for (size_t i = 0; i < evidence.loads.size(); ++i) {
    if (evidence.loads[i].name == "idle") continue;  // has no process
    const bool known = i < evidence.load_numa_maps.size();
    check(fmt::format("load {}", evidence.loads[i].name), evidence.load_memory,
          known ? evidence.load_numa_maps[i] : std::string());
  }
}

}  // namespace rtsweep::checks
