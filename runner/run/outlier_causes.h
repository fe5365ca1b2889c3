// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <vector>

#include "analysis/capture_result.h"
#include "analysis/trace/explanation.h"
#include "runner/base/result.h"

namespace rtsweep {

inline constexpr char kExplanationsFile[] = "explanations.json";

// A trial's capture.json; kNotSupported when the trial has none, which a plan's breakpoint
// would have given it.
Result<CaptureResult> read_capture(const std::filesystem::path& trial_directory);

// What caused one outlier of the trial, by its trace and by what cyclictest said of it.
Result<Explanation> explain_outlier(const std::filesystem::path& trial_directory,
                                    const CapturedOutlier& outlier);

// Explains all outliers of a trial into its explanations.json, in the order of capture.json; a
// trace that cannot be read is explained as unknown, with the reason. Does nothing without
// outliers. Can be made again at any time.
Result<void> keep_explanations(const std::filesystem::path& trial_directory);

}  // namespace rtsweep
