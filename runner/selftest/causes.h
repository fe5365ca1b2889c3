// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

// An outlier that was caused on purpose, and what `rtsweep explain` said of its trace.
struct InjectedOutlier {
  std::string kind;    // as injected_kinds() has it
  std::string kernel;  // "6.1-rt"
  std::string arch;
  std::string file;        // of the trace, below the scratch directory
  int64_t latency_us = 0;  // cyclictest's
  std::string named;       // the kind that the explanation names, or "unknown"
  std::string who;         // the place that it names
  std::string headline;
  int64_t sum_ns = 0;      // of its segments
  bool sum_right = false;  // within 2 us or 1 % of the latency
  bool place_right = false;
  bool right = false;  // kind and place
};

// One VM, in which one kind of delay was made.
struct InjectionResult {
  std::string kind;
  std::string kernel;
  std::string arch;
  size_t made = 0;  // delays
  std::vector<InjectedOutlier> injected;
  size_t natural = 0;  // outliers at other times: not counted
  std::string error;   // why the VM says nothing
};

struct CausesOptions {
  std::filesystem::path scratch;  // an empty directory for the trials
  std::filesystem::path guests;   // holds ARCH/rtsweep-guest
  std::string only;               // a kind; empty: all
};

using CausesListener = std::function<void(const InjectionResult&)>;

// Delays real kernels in VMs, captures what a probe feels of it as in any run, and explains
// each trace. A kind that could not be made is in its result's `error`. kInvalidPlan for an
// unknown kind.
Result<std::vector<InjectionResult>> run_causes(const CausesOptions& options,
                                                const CausesListener& listener);

// All of them together. Of a single kind fewer outliers are enough than of all.
struct CausesSummary {
  size_t injected = 0;
  size_t right = 0;
  size_t sums_right = 0;
  size_t errors = 0;    // VMs that say nothing
  double rate = 0;      // right of injected
  double rate_low = 0;  // 95 % interval of the rate (Clopper-Pearson)
  double rate_high = 0;
  bool good = false;  // enough outliers, at least 95 % of them right, all sums, no errors
};
inline constexpr size_t kEnoughOutliers = 200;
CausesSummary summarize(const std::vector<InjectionResult>& results, size_t enough);

}  // namespace rtsweep
