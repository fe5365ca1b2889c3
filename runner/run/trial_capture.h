// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <string>

#include "analysis/correlate.h"
#include "analysis/run_report.h"

namespace rtsweep {

// The files of a trial that caught outliers.
inline constexpr char kCaptureFile[] = "capture.json";
inline constexpr char kExplanationsFile[] = "explanations.json";  // made again at any time
inline constexpr char kTimelinesFile[] = "timelines.json";        // likewise
inline constexpr char kPhasesFile[] = "load-phases.json";

// Adds what they say to a trial's result: outliers with their causes, timelines, and what
// the hits have in common. A file that is missing or damaged adds nothing.
void add_capture(TrialResult& result, const std::filesystem::path& directory, int64_t interval_us);

// capture.json's hits, for correlate(); empty without any.
std::vector<LatencyHit> parse_hits(std::string_view capture_json);

}  // namespace rtsweep
