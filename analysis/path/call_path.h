// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/path/kernel_symbols.h"
#include "analysis/path/record.h"

namespace rtsweep {

struct PathFunction {
  std::string name;
  int64_t self = 0;   // instructions of its own
  int64_t total = 0;  // with those of what it called
  int64_t calls = 0;

  bool operator==(const PathFunction&) const = default;
};

// A step of the path that tells who gets the CPU, and why.
struct PathStep {
  enum class Kind { kInterrupt, kWakeup, kBlocks, kBoost, kUnboost, kUnlock, kSwitch };
  int64_t at = 0;  // instructions since the path's begin
  Kind kind = Kind::kSwitch;
  std::string function;
  std::string within;  // the innermost caller that is not of the locks or the scheduler

  bool operator==(const PathStep&) const = default;
};

// What was executed between two instruction counts.
struct CallPath {
  int64_t length = 0;                     // instructions from begin to end
  int64_t explained = 0;                  // of them, in blocks that were written down
  std::vector<PathFunction> functions;    // by self, descending; then by name
  std::vector<PathStep> steps;            // ascending
  std::map<std::string, int64_t> stacks;  // "a;b;c" -> instructions of c, called by b, by a
};

struct CallPathInput {
  std::span<const PathEvent> events;  // all of them; blocks outside are passed over
  int64_t begin = 0;                  // instruction counts
  int64_t end = 0;
  std::set<uint64_t> irq_entries;
  uint64_t user_below = 0;  // smaller addresses are user space's
};

// Puts the blocks into functions. A block that another one follows too early was cut short by
// an exception, and counts as far as it came. Who called whom is taken from the order: a
// function entered at its first instruction was called, one that goes on was returned to.
// After a switch the stack of callers is unknown until it is returned through.
CallPath call_path(const CallPathInput& input, const KernelSymbols& symbols);

}  // namespace rtsweep
