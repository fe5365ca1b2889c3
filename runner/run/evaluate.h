// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include "analysis/run_report.h"
#include "runner/run/run_directory.h"

namespace rtsweep {

// Makes a trial's directory final after its runner ended or was killed: unpacks what a
// VM streamed out, removes scratch files. May be called again.
Result<void> tidy_trial(const std::filesystem::path& directory);

// What a trial came to, from the plan and the raw files in its directory alone: the
// same today and in years. A file that is missing or cannot be read becomes a reason,
// never an error.
TrialResult evaluate_trial(const RunDirectory& run, const PlannedTrial& trial);

// Everything that a report can say of the run as it stands. Trials that have not
// begun are not in it.
Result<RunReport> load_report(const RunDirectory& run);

}  // namespace rtsweep
