// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/rates.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics/distributions.h"
#include "analysis/statistics/moments.h"

namespace rtsweep::statistics {
namespace {

double odds(double share) {
  return share < 1 ? share / (1 - share) : std::numeric_limits<double>::infinity();
}

// All splits of n that are no more likely than x. The factor forgives rounding of equal ones, as
// R does.
double p_of_split(uint64_t x, uint64_t n, double share) {
  const double most = binomial_pmf(x, n, share) * (1 + 1e-7);
  double sum = 0;
  for (uint64_t k = 0; k <= n; ++k) {
    const double likely = binomial_pmf(k, n, share);
    if (likely <= most) sum += likely;
  }
  return std::min(sum, 1.0);
}

}  // namespace

Interval share_interval(double with_it, double samples, double confidence) {
  const double tail = (1 - confidence) / 2;
  Interval interval{0, 1};
  if (with_it > 0) interval.lower = beta_quantile(with_it, samples - with_it + 1, tail);
  if (with_it < samples) interval.upper = beta_upper_quantile(with_it + 1, samples - with_it, tail);
  return interval;
}

Interval count_interval(double count, double confidence) {
  const double tail = (1 - confidence) / 2;
  return {count > 0 ? gamma_quantile(count, tail) : 0, gamma_upper_quantile(count + 1, tail)};
}

RateRatio compare_rates(uint64_t first, double first_time, uint64_t second, double second_time,
                        double confidence) {
  const uint64_t events = first + second;
  const Interval share =
      share_interval(static_cast<double>(first), static_cast<double>(events), confidence);
  const double times = second_time / first_time;
  return {.ratio = static_cast<double>(first) / static_cast<double>(second) * times,
          .interval = {odds(share.lower) * times, odds(share.upper) * times},
          .p_value = p_of_split(first, events, first_time / (first_time + second_time))};
}

double dispersion(std::span<const double> interval_counts) {
  const double average = mean(interval_counts);
  if (interval_counts.size() < 2 || average <= 0) return 1;
  return std::max(1.0, variance(interval_counts) / average);
}

Interval bursty_share_interval(double with_it, double samples, double dispersion,
                               double confidence) {
  return share_interval(with_it / dispersion, samples / dispersion, confidence);
}

Interval mean_interval(std::span<const double> values_of_runs, double confidence) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (values_of_runs.size() < 2) return {-kInfinite, kInfinite};
  const auto runs = static_cast<double>(values_of_runs.size());
  const double half =
      t_quantile((1 + confidence) / 2, runs - 1) * std::sqrt(variance(values_of_runs) / runs);
  const double centre = mean(values_of_runs);
  return {centre - half, centre + half};
}

}  // namespace rtsweep::statistics
