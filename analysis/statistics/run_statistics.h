// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <span>

#include "analysis/statistics/bucket.h"

// The two numbers kept of one run, both logarithms of latencies. The run is the unit of
// replication: never the sample, never the CPU.
namespace rtsweep::statistics {

struct RunStatistics {
  double typical_worst = 0;  // T1: mean of the logs of the interval maxima; stable
  double run_maximum = 0;    // T2: log of the largest; sees rare paths

  // What rounding to buckets alone scatters: no variance between runs is believed below it. Quiet
  // systems repeat the same maximum, and a variance of 0 makes every t statistic infinite.
  double typical_worst_floor = 0;  // w^2 / (12 max^2 m)
  double run_maximum_floor = 0;    // w^2 / (12 max^2)
};

// From the maxima of a run's intervals, as bucket floors: the middle of the bucket goes into the
// logarithm. At least one maximum; width > 0.
RunStatistics run_statistics(std::span<const double> interval_maxima, double width);

// The same from a histogram alone, when no interval maxima were kept: the expected mean of the
// logs of the maxima, were the samples dealt to the intervals by chance. Bursts are then spread
// out, in every run alike. P(maximum <= v) = F(v)^samples_per_interval. O(buckets).
//
// `overflows` samples lie past the buckets; all are taken to be as late as `maximum`, the exact
// maximum of the run. At least one sample; samples_per_interval may be a fraction.
RunStatistics run_statistics(const Buckets& buckets, double width, uint64_t overflows,
                             double maximum, double samples_per_interval);

}  // namespace rtsweep::statistics
