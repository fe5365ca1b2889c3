// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/applicability.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/distributions.h"
#include "analysis/statistics/moments.h"

namespace rtsweep::statistics {
namespace {

std::vector<double> centred(std::span<const double> values) {
  const double centre = mean(values);
  std::vector<double> result;
  for (const double value : values) result.push_back(value - centre);
  return result;
}

double lagged_products(const std::vector<double>& values, size_t lag) {
  double sum = 0;
  for (size_t i = lag; i < values.size(); ++i) sum += values[i] * values[i - lag];
  return sum;
}

}  // namespace

LjungBox ljung_box(std::span<const double> values, unsigned lags) {
  const auto deviations = centred(values);
  const double squares = lagged_products(deviations, 0);
  if (!(squares > 0)) return {};
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (unsigned lag = 1; lag <= lags; ++lag) {
    const double correlation = lagged_products(deviations, lag) / squares;
    sum += correlation * correlation / (n - lag);
  }
  const double q = n * (n + 2) * sum;
  return {q, chi_squared_upper(q, lags)};
}

std::vector<double> normal_scores(std::span<const double> values) {
  auto scores = ranks(values);
  const auto n = static_cast<double>(values.size());
  for (double& score : scores) score = normal_quantile((score - 0.5) / n);
  return scores;
}

double kpss_level(std::span<const double> values, unsigned lags) {
  const auto deviations = centred(values);
  const auto n = static_cast<double>(values.size());
  double long_run = lagged_products(deviations, 0) / n;
  for (unsigned lag = 1; lag <= lags; ++lag) {
    const double weight = 1 - static_cast<double>(lag) / (lags + 1.0);
    long_run += 2 / n * weight * lagged_products(deviations, lag);
  }
  if (!(long_run > 0)) return 0;
  double partial = 0;
  double squares = 0;
  for (const double deviation : deviations) {
    partial += deviation;
    squares += partial * partial;
  }
  return squares / (n * n) / long_run;
}

unsigned kpss_lags(size_t n) {
  return static_cast<unsigned>(4 * std::pow(static_cast<double>(n) / 100, 0.25));
}

RunsTest runs_test(const std::vector<bool>& signs) {
  RunsTest test;
  test.ones = static_cast<size_t>(std::count(signs.begin(), signs.end(), true));
  test.zeros = signs.size() - test.ones;
  test.runs = signs.empty() ? 0 : 1;
  for (size_t i = 1; i < signs.size(); ++i) test.runs += signs[i] != signs[i - 1] ? 1 : 0;
  if (test.ones == 0 || test.zeros == 0) return test;
  const auto n = static_cast<double>(signs.size());
  const double twice = 2 * static_cast<double>(test.ones) * static_cast<double>(test.zeros);
  test.expected = twice / n + 1;
  test.variance = twice * (twice - n) / (n * n * (n - 1));
  test.z = (static_cast<double>(test.runs) - test.expected) / std::sqrt(test.variance);
  test.p_two_sided = 2 * normal_upper(std::abs(test.z));
  return test;
}

}  // namespace rtsweep::statistics
