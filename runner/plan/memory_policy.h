// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

// Where a process takes its memory from, as numactl(8) says it.
struct MemoryPolicy {
  enum class Mode {
    kDefault,     // whatever the kernel does
    kLocal,       // the node of the CPU that asks: numactl --localalloc
    kBind,        // these nodes only: numactl --membind
    kPreferred,   // this node first: numactl --preferred
    kInterleave,  // page by page over these nodes: numactl --interleave
  };

  Mode mode = Mode::kDefault;
  bool all_nodes = false;  // "all": whatever nodes there are
  std::vector<int> nodes;  // named ones, ascending
};

// "default", "local", "bind:0", "bind:0-1", "preferred:1", "interleave:all". kInvalidPlan, with
// the nearest right word, for anything else.
Result<MemoryPolicy> parse_memory_policy(std::string_view text);

}  // namespace rtsweep
