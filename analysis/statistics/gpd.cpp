// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/gpd.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics/curvature.h"
#include "analysis/statistics/maximise.h"
#include "analysis/statistics/moments.h"

namespace rtsweep::statistics {
namespace {

constexpr double kExponentialShape = 1e-8;
constexpr double kImpossible = -std::numeric_limits<double>::infinity();

bool is_exponential(const Gpd& gpd) { return std::abs(gpd.shape) < kExponentialShape; }

double log_survival(const Gpd& gpd, double excess) {
  if (is_exponential(gpd)) return -excess / gpd.scale;
  const double t = 1 + gpd.shape * excess / gpd.scale;
  return t > 0 ? -std::log(t) / gpd.shape : kImpossible;
}

double log_between(const Gpd& gpd, double from, double to) {
  const double at_least = log_survival(gpd, from);
  const double beyond = log_survival(gpd, to);
  if (!(at_least > beyond)) return kImpossible;
  return at_least + std::log(-std::expm1(beyond - at_least));
}

double exact_likelihood(std::span<const double> excesses, const Gpd& gpd) {
  double sum = 0;
  for (const double excess : excesses) sum += gpd_log_density(gpd, excess);
  return sum;
}

double grouped_likelihood(const GroupedExcesses& excesses, const Gpd& gpd) {
  double sum = 0;
  if (excesses.overflows > 0) {
    sum += static_cast<double>(excesses.overflows) * log_survival(gpd, excesses.overflow_from);
  }
  for (const Bucket& bucket : excesses.buckets) {
    if (bucket.count == 0) continue;
    sum += static_cast<double>(bucket.count) *
           log_between(gpd, bucket.lower, bucket.lower + excesses.width);
  }
  return sum;
}

double mean_excess(const GroupedExcesses& excesses) {
  double sum = static_cast<double>(excesses.overflows) * excesses.overflow_from;
  auto count = static_cast<double>(excesses.overflows);
  for (const Bucket& bucket : excesses.buckets) {
    sum += static_cast<double>(bucket.count) * (bucket.lower + excesses.width / 2);
    count += static_cast<double>(bucket.count);
  }
  return sum / count;
}

// From the exponential tail of the same mean, which allows every excess.
template <typename Likelihood>
Result<GpdFit> fit(const Likelihood& likelihood, double start_scale) {
  const LogLikelihood searched = [&](std::span<const double> p) {
    return likelihood(Gpd{std::exp(p[0]), p[1]});
  };
  RTSWEEP_TRY(const Maximum best, maximise(searched, {std::log(start_scale), 0.05}, {0.2, 0.1}));
  GpdFit result{{std::exp(best.at[0]), best.at[1]}, best.value};
  const LogLikelihood plain = [&](std::span<const double> p) {
    return p[0] > 0 ? likelihood(Gpd{p[0], p[1]}) : kImpossible;
  };
  const Eigen::Matrix2d matrix =
      covariance(plain, {result.gpd.scale, result.gpd.shape}, {5e-4 * result.gpd.scale, 5e-4});
  result.covariance = {{{matrix(0, 0), matrix(0, 1)}, {matrix(1, 0), matrix(1, 1)}}};
  return result;
}

}  // namespace

double gpd_survival(const Gpd& gpd, double excess) { return std::exp(log_survival(gpd, excess)); }

double gpd_log_density(const Gpd& gpd, double excess) {
  if (is_exponential(gpd)) return -std::log(gpd.scale) - excess / gpd.scale;
  const double t = 1 + gpd.shape * excess / gpd.scale;
  return t > 0 ? -std::log(gpd.scale) - (1 + 1 / gpd.shape) * std::log(t) : kImpossible;
}

Result<GpdFit> fit_gpd(std::span<const double> excesses) {
  if (excesses.size() < 2) return Error(Errc::kBadData, "fewer than two excesses");
  return fit([&](const Gpd& gpd) { return exact_likelihood(excesses, gpd); }, mean(excesses));
}

Result<GpdFit> fit_gpd(const GroupedExcesses& excesses) {
  const double start = mean_excess(excesses);
  if (!(start > 0)) return Error(Errc::kBadData, "no excesses");
  return fit([&](const Gpd& gpd) { return grouped_likelihood(excesses, gpd); }, start);
}

ExponentialTail exponential_tail(std::span<const double> excesses) {
  const double scale = mean(excesses);
  return {.scale = scale,
          .log_likelihood = -static_cast<double>(excesses.size()) * (std::log(scale) + 1),
          .coefficient_of_variation = std::sqrt(variance(excesses)) / scale};
}

double gpd_level(const Gpd& gpd, double samples, double exceed_probability) {
  const double log_expected = std::log(samples * exceed_probability);
  if (is_exponential(gpd)) return gpd.scale * log_expected;
  return gpd.scale / gpd.shape * std::expm1(gpd.shape * log_expected);
}

double gpd_level_error(const GpdFit& fit, double samples, uint64_t exceeding, uint64_t total) {
  const double n = static_cast<double>(total);
  const double share = static_cast<double>(exceeding) / n;
  const auto [scale, shape] = fit.gpd;
  const double log_expected = std::log(samples * share);
  const double power = std::exp(shape * log_expected);
  const double reach =
      is_exponential(fit.gpd) ? log_expected : std::expm1(shape * log_expected) / shape;
  const double by_shape = is_exponential(fit.gpd) ? scale * log_expected * log_expected / 2
                                                  : scale / shape * (power * log_expected - reach);
  const double by_share = scale * power / share;
  const auto& v = fit.covariance;
  return std::sqrt(by_share * by_share * share * (1 - share) / n + reach * reach * v[0][0] +
                   2 * reach * by_shape * v[0][1] + by_shape * by_shape * v[1][1]);
}

Interval gpd_level_interval(std::span<const double> excesses, const GpdFit& fit, double samples,
                            double exceed_probability, double cut) {
  const Profile profile = [=, shape = fit.gpd.shape](double level) mutable {
    if (level <= 0) return kImpossible;
    const LogLikelihood rest = [&](std::span<const double> p) {
      const double unit = gpd_level({1, p[0]}, samples, exceed_probability);
      return exact_likelihood(excesses, {level / unit, p[0]});
    };
    auto best = maximise(rest, {shape}, {0.05});
    if (!best) best = maximise(rest, {0.5}, {0.2});  // heavy enough to allow every excess
    if (!best) return kImpossible;
    shape = best->at[0];
    return best->value;
  };
  return profile_interval(profile, gpd_level(fit.gpd, samples, exceed_probability),
                          fit.log_likelihood, cut, fit.gpd.scale / 2);
}

}  // namespace rtsweep::statistics
