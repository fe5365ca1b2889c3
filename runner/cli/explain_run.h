// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <optional>

#include "analysis/trace/explanation.h"
#include "runner/base/result.h"

namespace rtsweep {

// Which outlier of a run: of this trial, the K-th in time (outlier-K.dat). What is empty is the
// worst: of the trial, of all trials.
struct OutlierChoice {
  std::optional<int> trial;
  std::optional<int> outlier;
};

// What caused an outlier of a run; its source is the trace's path in the run directory.
// kInvalidPlan when there is no such trial or outlier, saying which there are.
Result<Explanation> explain_run(const std::filesystem::path& directory,
                                const OutlierChoice& choice);

}  // namespace rtsweep
