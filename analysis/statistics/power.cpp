// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/power.h"

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>

#include "analysis/statistics/distributions.h"

namespace rtsweep::statistics {
namespace {

constexpr uint64_t kMost = 100'000;

// The first n >= 2 with power(n) >= wanted, for a power that rises with n.
template <typename Power>
std::optional<uint64_t> first_with(double wanted, Power power) {
  uint64_t low = 2;
  uint64_t high = 2;
  while (power(static_cast<double>(high)) < wanted) {
    if (high >= kMost) return std::nullopt;
    low = high + 1;
    high *= 2;
  }
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (power(static_cast<double>(middle)) >= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

}  // namespace

double two_sample_power(double runs, double effect, double tail) {
  const double degrees = 2 * runs - 2;
  const double critical = t_quantile(1 - tail, degrees);
  return noncentral_t_upper(critical, degrees, effect * std::sqrt(runs / 2));
}

double two_sample_runs(double power, double effect, double tail) {
  const auto missing = [&](double runs) { return two_sample_power(runs, effect, tail) - power; };
  constexpr double kLow = 1.5;
  double high = 4;
  while (missing(high) < 0 && high < static_cast<double>(kMost)) high *= 2;
  if (missing(kLow) > 0 || missing(high) < 0) return std::numeric_limits<double>::quiet_NaN();
  std::uintmax_t steps = 100;
  const auto bracket = boost::math::tools::toms748_solve(
      missing, kLow, high, boost::math::tools::eps_tolerance<double>(40), steps);
  return (bracket.first + bracket.second) / 2;
}

std::optional<uint64_t> runs_per_cell(double log_sd, double ratio, double tail, double power) {
  const double effect = std::log(ratio) / log_sd;
  return first_with(power, [&](double runs) { return two_sample_power(runs, effect, tail); });
}

double paired_power(double pairs, double ratio, double log_variance, double prior_degrees,
                    double tail) {
  const double degrees = prior_degrees + pairs - 1;
  return noncentral_t_upper(t_quantile(1 - tail, degrees), degrees,
                            std::log(ratio) / std::sqrt(log_variance / pairs));
}

std::optional<uint64_t> pairs_needed(double ratio, double log_variance, double prior_degrees,
                                     double tail, double power) {
  return first_with(power, [&](double pairs) {
    return paired_power(pairs, ratio, log_variance, prior_degrees, tail);
  });
}

}  // namespace rtsweep::statistics
