// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/run_statistics.h"

#include <algorithm>
#include <cmath>

namespace rtsweep::statistics {

RunStatistics run_statistics(std::span<const double> interval_maxima, double width) {
  double sum = 0;
  double most = 0;
  for (const double maximum : interval_maxima) {
    sum += std::log(maximum + width / 2);
    most = std::max(most, maximum + width / 2);
  }
  const auto intervals = static_cast<double>(interval_maxima.size());
  const double rounding = width * width / (12 * most * most);
  return {.typical_worst = sum / intervals,
          .run_maximum = std::log(most),
          .typical_worst_floor = rounding / intervals,
          .run_maximum_floor = rounding};
}

RunStatistics run_statistics(const Buckets& buckets, double width, uint64_t overflows,
                             double maximum, double samples_per_interval) {
  uint64_t samples = overflows;
  for (const Bucket& bucket : buckets) samples += bucket.count;
  const auto n = static_cast<double>(samples);
  const double highest = std::log(maximum + width / 2);
  double sum = 0;
  double below = 0;  // the chance that an interval's maximum is below this bucket
  uint64_t above = samples;
  for (const Bucket& bucket : buckets) {
    above -= bucket.count;
    const double up_to_here =
        above == 0 ? 1
                   : std::exp(samples_per_interval * std::log1p(-static_cast<double>(above) / n));
    sum += (up_to_here - below) * std::log(bucket.lower + width / 2);
    below = up_to_here;
  }
  sum += (1 - below) * highest;
  const double most = maximum + width / 2;
  const double rounding = width * width / (12 * most * most);
  return {.typical_worst = sum,
          .run_maximum = highest,
          .typical_worst_floor = rounding * samples_per_interval / n,
          .run_maximum_floor = rounding};
}

}  // namespace rtsweep::statistics
