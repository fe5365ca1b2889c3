// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/moderated_variance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/statistics/distributions.h"
#include "analysis/statistics/moments.h"

namespace rtsweep::statistics {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// ln(s^2) freed of what the chi-squared distribution of s^2 puts on it.
double centred_log(const SampleVariance& cell) {
  const double half = cell.degrees / 2;
  return std::log(cell.variance) - digamma(half) + std::log(half);
}

// The x with trigamma(x) = y: Newton on 1 / trigamma, which is nearly straight (Smyth, appendix).
double trigamma_inverse(double y) {
  double x = 0.5 + 1 / y;
  for (int step = 0; step < 60; ++step) {
    const double value = trigamma(x);
    const double h = 1e-5 * x;
    const double slope = (trigamma(x + h) - trigamma(x - h)) / (2 * h);
    const double change = value * (1 - value / y) / slope;
    x += change;
    if (std::abs(change) < 1e-12 * x) break;
  }
  return x;
}

}  // namespace

VariancePrior fit_variance_prior(std::span<const SampleVariance> cells) {
  std::vector<double> logs;
  double expected_spread = 0;
  for (const SampleVariance& cell : cells) {
    logs.push_back(centred_log(cell));
    expected_spread += trigamma(cell.degrees / 2) / static_cast<double>(cells.size());
  }
  const double level = mean(logs);
  const double spread = variance(logs) - expected_spread;
  if (!(spread > 0)) return {kInfinite, std::exp(level)};
  const double half = trigamma_inverse(spread);
  return {2 * half, std::exp(level + digamma(half) - std::log(half))};
}

SampleVariance moderate(SampleVariance cell, VariancePrior prior) {
  if (std::isinf(prior.degrees)) return {prior.variance, prior.most_degrees};
  const double degrees = prior.degrees + cell.degrees;
  return {(prior.degrees * prior.variance + cell.degrees * cell.variance) / degrees,
          std::min(degrees, prior.most_degrees)};
}

}  // namespace rtsweep::statistics
