// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/multiplicity.h"

#include <algorithm>
#include <numeric>

namespace rtsweep::statistics {
namespace {

std::vector<size_t> ascending(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  return order;
}

}  // namespace

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<double> adjusted(p_values.size());
  auto left = static_cast<double>(p_values.size());
  double most = 0;
  for (const size_t i : ascending(p_values)) {
    most = std::max(most, left * p_values[i]);
    adjusted[i] = std::min(1.0, most);
    left -= 1;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  std::vector<double> adjusted(p_values.size());
  const auto order = ascending(p_values);
  const auto family = static_cast<double>(p_values.size());
  double least = 1;
  for (size_t rank = order.size(); rank > 0; --rank) {
    const size_t i = order[rank - 1];
    least = std::min(least, family / static_cast<double>(rank) * p_values[i]);
    adjusted[i] = least;
  }
  return adjusted;
}

double either(double p, double q) { return std::min({1.0, 2 * std::min(p, q), std::max(p, q)}); }

}  // namespace rtsweep::statistics
