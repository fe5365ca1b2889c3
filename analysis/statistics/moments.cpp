// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rtsweep::statistics {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double squares_about(std::span<const double> values, double centre) {
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum;
}

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) return kNone;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(std::span<const double> values) {
  if (values.size() < 2) return kNone;
  return squares_about(values, mean(values)) / static_cast<double>(values.size() - 1);
}

double lag_one_correlation(std::span<const double> values) {
  const double centre = mean(values);
  double sum = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    sum += (values[i] - centre) * (values[i - 1] - centre);
  }
  const double squares = squares_about(values, centre);
  return squares > 0 ? sum / squares : 0;
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  std::sort(result.begin(), result.end());
  return result;
}

double median(std::span<const double> values) {
  if (values.empty()) return kNone;
  const auto ordered = sorted(values);
  const size_t half = ordered.size() / 2;
  return ordered.size() % 2 == 1 ? ordered[half] : (ordered[half - 1] + ordered[half]) / 2;
}

std::vector<double> ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    for (size_t i = first; i < end; ++i) {
      result[order[i]] = static_cast<double>(first + 1 + end) / 2;
    }
    first = end;
  }
  return result;
}

}  // namespace rtsweep::statistics
