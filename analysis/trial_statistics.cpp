// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trial_statistics.h"

#include <algorithm>

namespace rtsweep {

double interval_s(double duration_s) {
  const double usual = duration_s < 600 ? 10 : 60;
  return std::min(usual, duration_s / 10);
}

statistics::Buckets buckets_of(const LatencyHistogram& histogram) {
  statistics::Buckets buckets;
  for (const auto& [latency, times] : histogram.counts()) {
    buckets.push_back({static_cast<double>(latency.count()), times});
  }
  return buckets;
}

statistics::RunStatistics statistics_of(const TrialResult& trial) {
  const LatencyHistogram histogram = trial.merged();
  const double intervals =
      trial.duration_s > 0 ? trial.duration_s / interval_s(trial.duration_s) : 10;
  return statistics::run_statistics(buckets_of(histogram), 1, histogram.overflows(),
                                    static_cast<double>(*trial.max_us()),
                                    static_cast<double>(histogram.samples()) / intervals);
}

}  // namespace rtsweep
