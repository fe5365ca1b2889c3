// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/rank_tests.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "analysis/statistics/distributions.h"
#include "analysis/statistics/moments.h"

namespace rtsweep::statistics {
namespace {

// P(U = u) for u = 0 .. x * y without ties. The coefficients of the Gaussian binomial: a product
// of (1 - q^(y+i)) / (1 - q^i), one factor after the other.
std::vector<double> u_distribution(size_t x, size_t y) {
  std::vector<double> ways(x * y + 1, 0);
  ways[0] = 1;
  for (size_t i = 1; i <= x; ++i) {
    for (size_t u = ways.size(); u-- > y + i;) ways[u] -= ways[u - y - i];
    for (size_t u = i; u < ways.size(); ++u) ways[u] += ways[u - i];
  }
  const double sum = std::accumulate(ways.begin(), ways.end(), 0.0);
  for (double& way : ways) way /= sum;
  return ways;
}

double sum_of(const std::vector<double>& values, size_t from, size_t to) {
  double sum = 0;
  for (size_t i = from; i < std::min(to, values.size()); ++i) sum += values[i];
  return sum;
}

double wins(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (const double a : x) {
    for (const double b : y) sum += a > b ? 1 : a == b ? 0.5 : 0;
  }
  return sum;
}

// The variance of a group's placements among the other group (Brunner & Munzel's S_i^2).
double placement_variance(std::span<const double> own_ranks, std::span<const double> own) {
  const auto within = ranks(own);
  std::vector<double> placements(own.size());
  for (size_t i = 0; i < own.size(); ++i) placements[i] = own_ranks[i] - within[i];
  return variance(placements);
}

}  // namespace

MannWhitney mann_whitney(std::span<const double> x, std::span<const double> y) {
  const auto distribution = u_distribution(x.size(), y.size());
  const double u = wins(x, y);
  const double above = sum_of(distribution, static_cast<size_t>(std::ceil(u)), distribution.size());
  const double below = sum_of(distribution, 0, static_cast<size_t>(std::floor(u)) + 1);
  return {u, above, std::min(1.0, 2 * std::min(above, below))};
}

HodgesLehmann hodges_lehmann(std::span<const double> x, std::span<const double> y,
                             double confidence) {
  std::vector<double> differences;
  for (const double a : x) {
    for (const double b : y) differences.push_back(a - b);
  }
  std::sort(differences.begin(), differences.end());
  const auto distribution = u_distribution(x.size(), y.size());
  // R's qwilcox: the smallest u with P(U <= u) >= tail, and at least 1.
  size_t quantile = 0;
  for (double below = distribution[0]; below < (1 - confidence) / 2;) {
    below += distribution[++quantile];
  }
  quantile = std::max<size_t>(quantile, 1);
  return {.shift = median(differences),
          .interval = {differences[quantile - 1], differences[differences.size() - quantile]},
          .achieved_confidence = 1 - 2 * sum_of(distribution, 0, quantile)};
}

double least_rank_p(unsigned runs) {
  double ways = 1;
  for (unsigned i = 1; i <= runs; ++i) ways = ways * (runs + i) / i;
  return 1 / ways;
}

BrunnerMunzel brunner_munzel(std::span<const double> x, std::span<const double> y) {
  std::vector<double> all(x.begin(), x.end());
  all.insert(all.end(), y.begin(), y.end());
  const auto all_ranks = ranks(all);
  const std::span<const double> ranks_x(all_ranks.data(), x.size());
  const std::span<const double> ranks_y(all_ranks.data() + x.size(), y.size());
  const auto nx = static_cast<double>(x.size());
  const auto ny = static_cast<double>(y.size());
  const double vx = nx * placement_variance(ranks_x, x);
  const double vy = ny * placement_variance(ranks_y, y);

  BrunnerMunzel result;
  result.statistic = nx * ny * (mean(ranks_y) - mean(ranks_x)) / ((nx + ny) * std::sqrt(vx + vy));
  result.degrees = (vx + vy) * (vx + vy) / (vx * vx / (nx - 1) + vy * vy / (ny - 1));
  result.p_two_sided = 2 * t_upper(std::abs(result.statistic), result.degrees);
  result.probability_greater = wins(y, x) / (nx * ny);
  result.cliffs_delta = 2 * result.probability_greater - 1;
  return result;
}

}  // namespace rtsweep::statistics
