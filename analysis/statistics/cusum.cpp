// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/cusum.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/distributions.h"

namespace rtsweep::statistics {

void SelfStartingCusum::add(double value) {
  if (seen_ >= 2) score(value);
  ++seen_;
  const double off = value - mean_;
  mean_ += off / static_cast<double>(seen_);
  squares_ += off * (value - mean_);
}

void SelfStartingCusum::score(double value) {
  const auto before = static_cast<double>(seen_);
  const double sd = std::sqrt(squares_ / (before - 1));
  // Equal values so far tell no scatter: the first that differs says nothing yet.
  double u = 0;
  if (sd > 0) {
    const double t = (value - mean_) / sd * std::sqrt(before / (before + 1));
    // From the nearer tail, or a large t would become an infinite score.
    u = t < 0 ? normal_quantile(t_cdf(t, before - 1)) : -normal_quantile(t_cdf(-t, before - 1));
  }
  scores_.push_back(u);
  sum_ = std::max(0.0, sum_ + u - allowance_);
  largest_ = std::max(largest_, sum_);
  if (sum_ == 0) after_zero_ = seen_ + 1;
  if (sum_ > alarm_above_ && !alarm_) {
    alarm_ = seen_;
    start_ = after_zero_;
  }
}

}  // namespace rtsweep::statistics
