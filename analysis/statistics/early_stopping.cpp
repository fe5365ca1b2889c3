// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/early_stopping.h"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <vector>

namespace rtsweep::statistics {
namespace {

double root_of(const auto& f, double low, double high) {
  std::uintmax_t steps = 200;
  const auto root = boost::math::tools::toms748_solve(
      f, low, high, boost::math::tools::eps_tolerance<double>(48), steps);
  return (root.first + root.second) / 2;
}

// ln of the likelihood ratio of `multiple` times the limit rate against the limit rate.
double log_ratio(uint64_t events, double expected, double multiple) {
  return static_cast<double>(events) * std::log(multiple) - (multiple - 1) * expected;
}

double log_spaced(double from, double to, int index, int count) {
  const double share = static_cast<double>(index) / (count - 1);
  return std::exp(std::log(from) + share * (std::log(to) - std::log(from)));
}

double sum_over(uint64_t events, double expected, double from, double to, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += std::exp(log_ratio(events, expected, log_spaced(from, to, i, count)));
  }
  return sum;
}

// The time at which n events just give this statistic: the earlier, the more telling.
double signal_time(uint64_t events, double critical) {
  const auto n = static_cast<double>(events);
  const auto over = [&](double t) { return t - n + n * std::log(n / t) - critical; };
  return root_of(over, 1e-12, n);
}

// One step of the count's distribution: Poisson events in `elapsed`, then those with `bound` or
// more have signalled and leave.
void pass_time(std::vector<double>& counts, double elapsed, size_t bound) {
  std::vector<double> next(bound, 0);
  for (size_t from = 0; from < std::min(counts.size(), bound); ++from) {
    double likely = counts[from] * std::exp(-elapsed);
    for (size_t to = from; to < bound; ++to) {
      next[to] += likely;
      likely *= elapsed / static_cast<double>(to - from + 1);
    }
  }
  counts = std::move(next);
}

double max_sprt_alpha(double critical, double most_expected) {
  std::vector<double> counts = {1};
  double now = 0;
  for (uint64_t events = 1; now < most_expected; ++events) {
    const double then = std::min(signal_time(events, critical), most_expected);
    pass_time(counts, then - now, events);
    now = then;
  }
  double silent = 0;
  for (const double likely : counts) silent += likely;
  return 1 - silent;
}

}  // namespace

double evidence_of_bad(uint64_t events, double expected) {
  constexpr int kRates = 80;
  return sum_over(events, expected, 1.05, 50, kRates) / kRates;
}

double evidence_of_good(uint64_t events, double expected) {
  constexpr int kRates = 79;
  const double perfect = events == 0 ? std::exp(expected) : 0;
  return (perfect + sum_over(events, expected, 0.01, 0.95, kRates)) / (kRates + 1);
}

double evidence_against_rate(uint64_t events, double time, double rate0, double shape,
                             double inverse_scale) {
  const auto n = static_cast<double>(events);
  return std::exp(std::lgamma(shape + n) - std::lgamma(shape) + shape * std::log(inverse_scale) -
                  (shape + n) * std::log(inverse_scale + time) - n * std::log(rate0) +
                  rate0 * time);
}

double Sprt::log_reject() const { return std::log((1 - beta) / alpha); }
double Sprt::log_accept() const { return std::log(beta / (1 - alpha)); }

double Sprt::line(double log_bound, double time) const {
  return (log_bound + (bad_rate - good_rate) * time) / std::log(bad_rate / good_rate);
}

double Sprt::bad_at(double time) const { return line(log_reject(), time); }
double Sprt::good_at(double time) const { return line(log_accept(), time); }

double max_sprt_critical(double most_expected, double alpha) {
  const auto over = [&](double critical) {
    return max_sprt_alpha(critical, most_expected) - alpha;
  };
  return root_of(over, 0.5, 20);
}

double max_sprt_statistic(uint64_t events, double expected) {
  const auto n = static_cast<double>(events);
  if (n <= expected) return 0;
  return n * std::log(n / expected) - (n - expected);
}

}  // namespace rtsweep::statistics
