// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <optional>

#include "analysis/capture_result.h"
#include "analysis/trace/explanation.h"
#include "analysis/trace/timeline_picture.h"
#include "runner/base/result.h"

namespace rtsweep {

// Made from the traces, and made again at any time.
inline constexpr char kExplanationsFile[] = "explanations.json";
inline constexpr char kTimelinesFile[] = "timelines.json";

// A trial's capture.json; kNotSupported when the trial has none, which a plan's breakpoint
// would have given it.
Result<CaptureResult> read_capture(const std::filesystem::path& trial_directory);

struct ExplainedOutlier {
  Explanation explanation;
  std::optional<TimelinePicture> timeline;
};

// What caused one outlier of the trial, by its trace and by what cyclictest said of it.
Result<ExplainedOutlier> explain_outlier(const std::filesystem::path& trial_directory,
                                         const CapturedOutlier& outlier);

// Explains all outliers of a trial into its explanations.json and timelines.json, in the order of
// capture.json; a trace that cannot be read is explained as unknown, with the reason. Does
// nothing without outliers.
Result<void> keep_explanations(const std::filesystem::path& trial_directory);

}  // namespace rtsweep
