// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include "analysis/cyclictest_output.h"
#include "analysis/run_report.h"
#include "analysis/tracer_result.h"

namespace rtsweep {

// The tracer's main kind of samples as a run with one thread a CPU, in us, so that the
// same checks hold for all probes.
CyclictestRun main_samples(const TracerResult& result);

// Fills in cpus (the main kind) and other_kinds of a trial.
void add_samples(const TracerResult& result, TrialResult& trial);

}  // namespace rtsweep
