// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "analysis/reason_catalogue.h"
#include "analysis/trial_check_parts.h"
#include "runner/base/text.h"

namespace rtsweep::checks {
namespace {

std::optional<int> parse_int(std::string_view text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

// "0-1,3". Empty for "all", and for what is no list of nodes.
std::set<int> parse_nodes(std::string_view text) {
  std::set<int> nodes;
  for (const std::string& part : split(text, ',')) {
    const size_t dash = std::min(part.find('-'), part.size());
    const auto first = parse_int(std::string_view(part).substr(0, dash));
    const auto last = dash < part.size() ? parse_int(part.substr(dash + 1)) : first;
    if (!first || !last || *last - *first > 1023) return {};
    for (int node = *first; node <= *last; ++node) nodes.insert(node);
  }
  return nodes;
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
    if (const auto node = parse_int(std::string_view(word).substr(1, equals - 1))) {
      nodes.insert(*node);
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

// The N of "numa=fake=N", and whether `nodes` can be its effect. A size ("512M") gives as
// many nodes as fit, "2U" as many for each real node.
bool is_effect_of_fake(std::string_view fake, int nodes) {
  if (const auto exact = parse_int(fake)) return nodes == *exact;
  if (fake.ends_with('U')) {
    const auto each = parse_int(fake.substr(0, fake.size() - 1));
    return each && *each > 0 && nodes % *each == 0;
  }
  return nodes > 1;
}

}  // namespace

const MachineFacts* facts_of(const TrialEvidence& evidence) {
  if (evidence.before) return &*evidence.before;
  return evidence.after ? &*evidence.after : nullptr;
}

void check_kernel(const TrialEvidence& evidence, Reasons& reasons) {
  const MachineFacts* facts = facts_of(evidence);
  if (facts == nullptr) return;
  const std::string& wanted = evidence.expected_release;
  if (!wanted.empty() && facts->kernel_release != wanted) {
    reasons.push_back(make_reason(
        "wrong_kernel", fmt::format("kernel {} ran instead of {}", facts->kernel_release, wanted)));
  }
  if (!evidence.expect_rt || facts->preempt_rt == true) return;
  const char* what = facts->preempt_rt ? "kernel {} is not PREEMPT_RT"
                                       : "kernel {} does not say whether it is PREEMPT_RT";
  reasons.push_back(make_reason("not_rt", fmt::format(fmt::runtime(what), facts->kernel_release)));
}

void check_boot_parameters(const TrialEvidence& evidence, Reasons& reasons) {
  const MachineFacts* facts = facts_of(evidence);
  if (facts == nullptr) return;
  const std::vector<std::string> effective = words(facts->cmdline);
  for (const std::string& wanted : evidence.boot_parameters) {
    if (has_word(effective, wanted)) continue;
    reasons.push_back(make_reason(
        "cmdline_not_effective",
        fmt::format("\"{}\" is not on the command line that the kernel was booted with", wanted)));
  }
}

void check_numa(const TrialEvidence& evidence, Reasons& reasons) {
  constexpr std::string_view kFake = "numa=fake=";
  const MachineFacts* facts = facts_of(evidence);
  if (facts == nullptr) return;
  for (const std::string& wanted : evidence.boot_parameters) {
    if (!wanted.starts_with(kFake)) continue;
    const int nodes = facts->numa_nodes.value_or(1);
    if (is_effect_of_fake(std::string_view(wanted).substr(kFake.size()), nodes)) continue;
    reasons.push_back(make_reason(
        "numa_not_effective",
        fmt::format("{} was asked for and the kernel has {}", wanted,
                    facts->numa_nodes ? fmt::format("{} node(s)", nodes) : "no NUMA nodes")));
  }
}

void check_memory_policy(const TrialEvidence& evidence, Reasons& reasons) {
  const std::string& wanted = evidence.planned.memory;
  if (wanted.empty() || wanted == "default" || run_of(evidence) == nullptr) return;
  const std::string mismatch = policy_mismatch(requested_policy(wanted), evidence.numa_maps);
  if (mismatch.empty()) return;
  reasons.push_back(
      make_reason("memory_policy_not_effective",
                  fmt::format("the probe was to have memory {}, and {}", wanted, mismatch)));
}

}  // namespace rtsweep::checks
