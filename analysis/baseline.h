// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>

#include "analysis/run_report.h"
#include "runner/base/result.h"

namespace rtsweep {

// The version of the format, which results/baselines/README.md describes.
inline constexpr int kBaselineVersion = 1;

// What a gate needs of a run, small enough to commit: of every trial that can be believed its
// cell, its histograms, and all that decides whether another run must repeat it exactly. One line
// of JSON for each trial, so that a diff of two baselines shows what moved.
std::string render_baseline(const RunReport& report);

// A baseline as a report that holds only these trials, verdict PASS. kBadData, saying why: not
// JSON, not a baseline, of a later version, or with numbers that no run has.
Result<RunReport> parse_baseline(std::string_view text);

}  // namespace rtsweep
