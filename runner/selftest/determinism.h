// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

// Whether a kernel's results in virtual time are the same again on this machine.
struct DeterminismOutcome {
  std::string kernel;   // as a plan names it: "6.1-rt"
  std::string arch;     // Debian's name
  std::string release;  // "6.1.0-50-rt-arm64"
  bool identical = false;
  bool record = true;  // one run is exact; else two runs that agree make a result
  int runs = 0;
  std::string sha256;  // of the result: the whole stream and the console
  std::string note;    // what differed, or why nothing could be measured
};

struct DeterminismOptions {
  std::filesystem::path scratch;  // an empty directory for the trials
  std::filesystem::path guests;   // holds ARCH/rtsweep-guest
  std::string arch;               // one architecture only; empty: all
};

using DeterminismListener = std::function<void(const DeterminismOutcome&)>;

// Measures the same trial (hackbench, three virtual seconds) three times with every RT
// kernel of a Debian release in kernels.toml: once with the machine idle otherwise, twice with all its CPUs
// busy. All that the VM said must be the same: every sample, every counter, the console.
Result<std::vector<DeterminismOutcome>> run_determinism(const DeterminismOptions& options,
                                                        const DeterminismListener& listener);

}  // namespace rtsweep
