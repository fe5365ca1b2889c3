// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include "analysis/run_report.h"
#include "analysis/statistics/bucket.h"
#include "analysis/statistics/run_statistics.h"

namespace rtsweep {

// The intervals of a trial whose maxima count: of a minute, or ten seconds for trials under ten
// minutes; ten intervals at least. In seconds.
double interval_s(double duration_s);

// What a histogram counted, for the statistics; its overflows are not among them.
statistics::Buckets buckets_of(const LatencyHistogram& histogram);

// The two numbers of a trial, over all its CPUs, from its histogram. The trial has samples and a
// maximum.
statistics::RunStatistics statistics_of(const TrialResult& trial);

}  // namespace rtsweep
