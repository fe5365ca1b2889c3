// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/memory_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "runner/plan/index_list.h"
#include "runner/plan/words.h"

namespace rtsweep {
namespace {

constexpr int kHighestNode = 1023;  // MAX_NUMNODES of the largest Debian kernels, less one

const std::vector<std::string> kModes = {"default", "local", "bind", "preferred", "interleave"};

Error wrong(std::string why) { return {Errc::kInvalidPlan, std::move(why)}; }

Result<MemoryPolicy> with_nodes(MemoryPolicy::Mode mode, std::string_view nodes) {
  MemoryPolicy policy{.mode = mode};
  if (nodes == "all") {
    policy.all_nodes = true;
  } else {
    RTSWEEP_TRY(policy.nodes, parse_index_list(nodes, kHighestNode));
  }
  const bool one = !policy.all_nodes && policy.nodes.size() == 1;
  if (mode == MemoryPolicy::Mode::kPreferred && !one) {
    return wrong("\"preferred\" takes one node: \"preferred:0\"");
  }
  return policy;
}

}  // namespace

Result<MemoryPolicy> parse_memory_policy(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  if (std::ranges::find(kModes, word) == kModes.end()) {
    return wrong(unknown_word("memory policy", word, kModes));
  }
  if (word == "default" || word == "local") {
    if (colon != std::string_view::npos) return wrong(fmt::format("\"{}\" takes no nodes", word));
    return MemoryPolicy{.mode = word == "local" ? MemoryPolicy::Mode::kLocal
                                                : MemoryPolicy::Mode::kDefault};
  }
  if (colon == std::string_view::npos) {
    return wrong(fmt::format("memory policy \"{0}\" needs its nodes: \"{0}:0\"", word));
  }
  const std::string_view nodes = text.substr(colon + 1);
  if (word == "bind") return with_nodes(MemoryPolicy::Mode::kBind, nodes);
  if (word == "preferred") return with_nodes(MemoryPolicy::Mode::kPreferred, nodes);
  return with_nodes(MemoryPolicy::Mode::kInterleave, nodes);
}

}  // namespace rtsweep
