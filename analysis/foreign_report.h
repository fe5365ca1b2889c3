// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <vector>

#include "analysis/cyclictest_output.h"
#include "analysis/run_report.h"

namespace rtsweep {

// Runs of cyclictest that others made, as a report that every renderer takes: one trial a
// run, with the file that it comes from as its only factor. Nothing is known of a plan, a
// load or a limit, so that a trial is PASS when its numbers can be believed, and INVALID
// when they cannot.
RunReport foreign_report(const std::vector<CyclictestRun>& runs);

}  // namespace rtsweep
