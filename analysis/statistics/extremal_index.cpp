// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/extremal_index.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rtsweep::statistics {

double extremal_index_by_intervals(std::span<const uint64_t> positions) {
  uint64_t longest = 0;
  for (size_t i = 1; i < positions.size(); ++i) {
    longest = std::max(longest, positions[i] - positions[i - 1]);
  }
  // Short gaps bias the estimate: one and two are taken off unless all are that short (eq. 5, 6).
  const double first = longest > 2 ? 1 : 0;
  const double second = longest > 2 ? 2 : 0;
  double sum = 0;
  double products = 0;
  for (size_t i = 1; i < positions.size(); ++i) {
    const auto gap = static_cast<double>(positions[i] - positions[i - 1]);
    sum += gap - first;
    products += (gap - first) * (gap - second);
  }
  const auto gaps = static_cast<double>(positions.size() - 1);
  return std::min(1.0, 2 * sum * sum / (gaps * products));
}

double extremal_index_by_runs(std::span<const uint64_t> positions, uint64_t run_length) {
  size_t clusters = positions.empty() ? 0 : 1;
  for (size_t i = 1; i < positions.size(); ++i) {
    if (positions[i] - positions[i - 1] > run_length) ++clusters;
  }
  return static_cast<double>(clusters) / static_cast<double>(positions.size());
}

double extremal_index_from_maxima(uint64_t intervals, uint64_t intervals_above,
                                  double samples_per_interval, double exceed_probability) {
  if (intervals_above >= intervals) return 0;
  const double share_above = static_cast<double>(intervals_above) / static_cast<double>(intervals);
  return std::min(1.0, -std::log1p(-share_above) / (samples_per_interval * exceed_probability));
}

}  // namespace rtsweep::statistics
