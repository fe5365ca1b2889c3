// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/gev.h"

#include <cmath>
#include <limits>

namespace rtsweep::statistics {
namespace {

// Below this a shape is 0: the general formula loses all its digits there.
constexpr double kGumbelShape = 1e-8;
constexpr double kImpossible = -std::numeric_limits<double>::infinity();

bool is_gumbel(const Gev& gev) { return std::abs(gev.shape) < kGumbelShape; }

// -ln G(x), the expected number of exceedances of x in one interval.
double exceedances(const Gev& gev, double x) {
  const double z = (x - gev.location) / gev.scale;
  if (is_gumbel(gev)) return std::exp(-z);
  const double t = 1 + gev.shape * z;
  if (t <= 0) return gev.shape > 0 ? std::numeric_limits<double>::infinity() : 0;
  return std::exp(-std::log(t) / gev.shape);
}

// ln P(from <= M < to), without the cancellation of two values of G close to 1.
double log_between(const Gev& gev, double from, double to) {
  const double more = exceedances(gev, from);
  const double fewer = exceedances(gev, to);
  if (!(more > fewer)) return kImpossible;
  // exp(-fewer) - exp(-more) = exp(-fewer) (1 - exp(fewer - more))
  return -fewer + std::log(-std::expm1(fewer - more));
}

}  // namespace

double gev_cdf(const Gev& gev, double x) { return std::exp(-exceedances(gev, x)); }

double gev_log_density(const Gev& gev, double x) {
  if (gev.scale <= 0) return kImpossible;
  const double z = (x - gev.location) / gev.scale;
  if (is_gumbel(gev)) return -std::log(gev.scale) - z - std::exp(-z);
  const double t = 1 + gev.shape * z;
  if (t <= 0) return kImpossible;
  const double log_t = std::log(t);
  return -std::log(gev.scale) - (1 + 1 / gev.shape) * log_t - std::exp(-log_t / gev.shape);
}

double gev_level(const Gev& gev, double probability) {
  const double y = -std::log1p(-probability);
  if (is_gumbel(gev)) return gev.location - gev.scale * std::log(y);
  return gev.location + gev.scale / gev.shape * std::expm1(-gev.shape * std::log(y));
}

std::array<double, 3> gev_level_gradient(const Gev& gev, double probability) {
  const double log_y = std::log(-std::log1p(-probability));
  // The limit shape -> 0 of both derivatives.
  if (is_gumbel(gev)) return {1, -log_y, gev.scale * log_y * log_y / 2};
  const double power = std::exp(-gev.shape * log_y);
  const double reach = std::expm1(-gev.shape * log_y) / gev.shape;
  return {1, reach, -gev.scale / gev.shape * (reach + power * log_y)};
}

uint64_t GroupedMaxima::kept() const {
  uint64_t sum = 0;
  for (const Bucket& bucket : buckets) sum += bucket.count;
  return sum;
}

GevLikelihood likelihood_of(std::vector<double> maxima) {
  return [maxima = std::move(maxima)](const Gev& gev) {
    double sum = 0;
    for (const double maximum : maxima) sum += gev_log_density(gev, maximum);
    return sum;
  };
}

GevLikelihood likelihood_of(GroupedMaxima maxima) {
  return [maxima = std::move(maxima)](const Gev& gev) {
    if (gev.scale <= 0) return kImpossible;
    double sum = 0;
    if (maxima.censored > 0) {
      sum -= static_cast<double>(maxima.censored) * exceedances(gev, maxima.censored_below);
    }
    for (const Bucket& bucket : maxima.buckets) {
      if (bucket.count == 0) continue;
      sum += static_cast<double>(bucket.count) *
             log_between(gev, bucket.lower, bucket.lower + maxima.width);
    }
    return sum;
  };
}

}  // namespace rtsweep::statistics
