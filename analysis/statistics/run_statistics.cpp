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

}  // namespace rtsweep::statistics
