// SPDX-License-Identifier: GPL-2.0-or-later

// Fits of the extreme value distribution: L-moments first, maximum likelihood from there.

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/statistics/gev.h"
#include "analysis/statistics/maximise.h"
#include "analysis/statistics/moments.h"

namespace rtsweep::statistics {
namespace {

constexpr double kLeastShape = -0.9;
constexpr double kMostShape = 1.5;
constexpr double kImpossible = -std::numeric_limits<double>::infinity();

double hosking_k(const LMoments& moments) {
  const double c = 2 / (3 + moments.t3) - std::log(2.0) / std::log(3.0);
  return 7.8590 * c + 2.9554 * c * c;
}

Gev gev_with_k(const LMoments& moments, double k) {
  if (std::abs(k) < 1e-9) {  // Gumbel: scale = l2 / ln 2, and Euler's constant
    const double scale = moments.l2 / std::log(2.0);
    return {moments.l1 - 0.57721566490153286 * scale, scale, 0};
  }
  const double gamma = std::tgamma(1 + k);
  const double scale = moments.l2 * k / ((1 - std::pow(2.0, -k)) * gamma);
  return {moments.l1 - scale * (1 - gamma) / k, scale, -k};
}

// Starts that allow ever more: a bounded tail may end below the largest maximum.
Gev widened(const Gev& start, int attempt) {
  const double factor = 1 + attempt;
  return {start.location, start.scale * factor, attempt == 0 ? start.shape : 0.05 * factor};
}

}  // namespace

LMoments l_moments(std::span<const double> values) {
  const auto ordered = sorted(values);
  const auto n = static_cast<double>(ordered.size());
  double b1 = 0;
  double b2 = 0;
  for (size_t i = 0; i < ordered.size(); ++i) {
    const auto below = static_cast<double>(i);
    b1 += below / (n - 1) * ordered[i] / n;
    b2 += below * (below - 1) / ((n - 1) * (n - 2)) * ordered[i] / n;
  }
  const double b0 = mean(values);
  const double l2 = 2 * b1 - b0;
  return {b0, l2, (6 * b2 - 6 * b1 + b0) / l2};
}

Gev gev_from_l_moments(const LMoments& moments) { return gev_with_k(moments, hosking_k(moments)); }

Gev gev_from_l_moments_exactly(const LMoments& moments) {
  const auto miss = [&](double k) {
    return 2 * std::expm1(-k * std::log(3.0)) / std::expm1(-k * std::log(2.0)) - 3 - moments.t3;
  };
  const double near = hosking_k(moments);
  const double low = near - 0.05;
  const double high = near + 0.05;
  if (!(miss(low) * miss(high) < 0)) return gev_with_k(moments, near);
  std::uintmax_t steps = 100;
  const auto root = boost::math::tools::toms748_solve(
      miss, low, high, boost::math::tools::eps_tolerance<double>(52), steps);
  return gev_with_k(moments, (root.first + root.second) / 2);
}

GroupedMaxima group_maxima(std::span<const double> maxima, double width, double threshold) {
  GroupedMaxima grouped{.buckets = {}, .width = width, .censored_below = threshold};
  std::map<double, uint64_t> counts;
  for (const double maximum : maxima) {
    const double lower = std::floor(maximum / width) * width;
    if (lower < threshold) {
      ++grouped.censored;
    } else {
      ++counts[lower];
    }
  }
  for (const auto& [lower, count] : counts) grouped.buckets.push_back({lower, count});
  return grouped;
}

Gev start_for(const GroupedMaxima& maxima) {
  std::vector<double> middles;
  for (const Bucket& bucket : maxima.buckets) {
    middles.insert(middles.end(), bucket.count, bucket.lower + maxima.width / 2);
  }
  if (middles.size() < 3) return {middles.empty() ? 0 : middles.front(), maxima.width, 0.05};
  const LMoments moments = l_moments(middles);
  if (!(moments.l2 > 0)) return {moments.l1, maxima.width, 0.05};
  Gev start = gev_from_l_moments(moments);
  start.scale = std::max(start.scale, maxima.width / 2);
  start.shape = std::clamp(start.shape, -0.4, 0.6);
  return start;
}

Result<GevFit> fit_gev(const GevLikelihood& likelihood, const Gev& start) {
  const LogLikelihood by_parameters = [&](std::span<const double> p) {
    if (p[2] <= kLeastShape || p[2] >= kMostShape) return kImpossible;
    return likelihood({p[0], std::exp(p[1]), p[2]});
  };
  constexpr int kAttempts = 8;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Gev from = widened(start, attempt);
    if (!std::isfinite(likelihood(from))) continue;
    RTSWEEP_TRY(const Maximum best,
                maximise(by_parameters, {from.location, std::log(from.scale), from.shape},
                         {0.3 * from.scale, 0.2, 0.1}));
    return GevFit{{best.at[0], std::exp(best.at[1]), best.at[2]}, best.value};
  }
  return Error(Errc::kBadData, "no extreme value distribution near the start allows these maxima");
}

Result<GevFit> fit_gumbel(const GevLikelihood& likelihood, const Gev& start) {
  const LogLikelihood by_parameters = [&](std::span<const double> p) {
    return likelihood({p[0], std::exp(p[1]), 0});
  };
  RTSWEEP_TRY(const Maximum best, maximise(by_parameters, {start.location, std::log(start.scale)},
                                           {0.3 * start.scale, 0.2}));
  return GevFit{{best.at[0], std::exp(best.at[1]), 0}, best.value};
}

}  // namespace rtsweep::statistics
