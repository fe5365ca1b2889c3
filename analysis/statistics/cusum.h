// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace rtsweep::statistics {

// Did a series, one value a night, rise? Needs no baseline: each value is compared with all before
// it. Hawkins, The Statistician 36 (1987), self-starting CUSUM:
//   U_j = PhiInv(F_t,j-2((x_j - mean_{j-1}) / s_{j-1} sqrt((j-1)/j))),  S = max(0, S + U_j - k).
// For a fall, add the negated values. O(1) for each value.
class SelfStartingCusum {
 public:
  // h = 7.7 gives 2.7 % false alarms per 395 nights for a pair of series; 8.4 when falls are
  // watched, too. Assumes no autocorrelation: above 0.3 at lag one, feed residuals or raise h.
  explicit SelfStartingCusum(double allowance = 0.5, double alarm_above = 7.7)
      : allowance_(allowance), alarm_above_(alarm_above) {}

  void add(double value);

  double sum() const { return sum_; }                            // S
  double largest_sum() const { return largest_; }                // of S so far
  const std::vector<double>& scores() const { return scores_; }  // U, from the third value on

  // 0-based. The value at which S first passed h, and the first value after S was last 0 then:
  // where the change began, right to a night or so.
  std::optional<size_t> alarm() const { return alarm_; }
  std::optional<size_t> start() const { return start_; }

 private:
  void score(double value);

  double allowance_;
  double alarm_above_;
  size_t seen_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // about the mean
  double sum_ = 0;
  double largest_ = 0;
  size_t after_zero_ = 2;
  std::vector<double> scores_;
  std::optional<size_t> alarm_;
  std::optional<size_t> start_;
};

}  // namespace rtsweep::statistics
