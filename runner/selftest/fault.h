// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

// What became of one fault that a selftest made.
struct FaultOutcome {
  std::string name;         // "numa-straddle"
  std::string what;         // what was done, for people
  std::string code;         // the reason that it must give
  bool real = false;        // it really happened, in a VM or on this machine
  bool caught = false;      // the code is among the reasons, and not among those of the control
  bool control_ok = false;  // the same trial without the fault is PASS
  std::string verdict;      // of the faulty trial
  std::vector<std::string> codes;  // all that was found
  std::string note;                // the reason's text, or what went wrong with the selftest itself
};

struct FaultOptions {
  std::filesystem::path scratch;  // an empty directory for the trials
  std::filesystem::path guests;   // holds ARCH/rtsweep-guest
  bool real = true;               // real faults too: boots VMs, takes minutes
  std::string only;               // a fault's name; empty: all
};

// Told of each fault as soon as it is decided.
using FaultListener = std::function<void(const FaultOutcome&)>;

// Makes every fault of the catalogue, one trial each, and the clean controls beside
// them, and judges all of them as a run does. The faults come back in the catalogue's
// order. An error is one of the selftest itself; kInvalidPlan for an unknown name.
Result<std::vector<FaultOutcome>> run_faults(const FaultOptions& options,
                                             const FaultListener& listener);

}  // namespace rtsweep
