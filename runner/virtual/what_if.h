// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include "analysis/path/what_if.h"
#include "runner/virtual/rerun_trial.h"

namespace rtsweep {

// Measures the trial again with one kernel parameter more (options.parameter). Only of
// cyclictest: kNotSupported for other probes.
Result<WhatIf> measure_what_if(const RunDirectory& run, const PlannedTrial& trial,
                               const RerunOptions& options, const std::atomic<bool>& stop,
                               const Listener& listener);

}  // namespace rtsweep
