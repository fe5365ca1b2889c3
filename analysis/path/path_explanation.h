// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/path/call_path.h"
#include "analysis/path/lock_waits.h"
#include "analysis/path/wakeups.h"

namespace rtsweep {

// One wakeup, looked into.
struct ExplainedWakeup {
  size_t number = 0;  // in time, from 1
  Wakeup wakeup;
  CallPath path;  // from expiry to the reading of the clock
  std::vector<LockWait> waits;
};

// The worst wakeups of a trial in virtual time, by what was executed.
struct PathExplanation {
  std::string source;  // "trials/001_6.1-rt_arm64_hackbench_r1"
  std::string kernel;  // its release
  double ns_per_instruction = 8;
  int64_t samples = 0;        // that the probe counted
  int64_t followed = 0;       // wakeups whose path was seen
  int64_t max_us = 0;         // that the probe measured, cut to whole us
  bool same_results = false;  // with the plugin as when it was measured
  bool same_console = false;
  std::vector<std::string> other_identity;  // see Rerun
  std::vector<ExplainedWakeup> worst;       // descending

  bool exact() const { return same_results && same_console && other_identity.empty(); }
  double us(int64_t instructions) const {
    return static_cast<double>(instructions) * ns_per_instruction / 1e3;
  }
};

// The numbers (from 0) of the wakeups that took longest, at most `most`, the worst first.
std::vector<size_t> worst_wakeups(const std::vector<Wakeup>& wakeups, size_t most);

// For people: conclusion, timeline, locks, functions. At most `functions` of them each.
std::string path_text(const PathExplanation& explanation, size_t functions = 15);

// For programs; see docs/virtual-time.md.
nlohmann::json path_json(const PathExplanation& explanation);

}  // namespace rtsweep
