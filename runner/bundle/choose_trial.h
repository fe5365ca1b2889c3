// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>

#include "analysis/run_report.h"
#include "runner/base/result.h"

namespace rtsweep {

// The trial that a bundle is about: the one asked for; else the one with the worst
// outlier, else the usable one with the worst maximum, else the first that did not work.
Result<const TrialResult*> choose_trial(const RunReport& report, std::optional<int> wanted);

// The outlier asked for, from 0; else the trial's worst. 0 in a trial without outliers.
Result<size_t> choose_outlier(const TrialResult& trial, std::optional<size_t> wanted);

}  // namespace rtsweep
