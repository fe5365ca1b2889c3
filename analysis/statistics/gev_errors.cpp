// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/gev_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics/curvature.h"
#include "analysis/statistics/distributions.h"

namespace rtsweep::statistics {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();
constexpr double kLeastShape = -0.9;
constexpr double kMostShape = 1.5;

LogLikelihood by_parameters(const GevLikelihood& likelihood) {
  return [&likelihood](std::span<const double> p) { return likelihood({p[0], p[1], p[2]}); };
}

Parameters parameters(const Gev& gev) { return {gev.location, gev.scale, gev.shape}; }
Parameters small_steps(const Gev& gev) { return {5e-4 * gev.scale, 5e-4 * gev.scale, 5e-4}; }

Eigen::Vector3d level_gradient(const Gev& gev, double probability) {
  const auto g = gev_level_gradient(gev, probability);
  return {g[0], g[1], g[2]};
}

// The location that puts the level exceeded with -ln(1 - p) = y at z.
double location_for(double z, double scale, double shape, double y) {
  const Gev at_zero{0, scale, shape};
  return z - gev_level(at_zero, -std::expm1(-y));
}

// The best likelihood at each value of one quantity, looked for from the last one found.
class WarmProfile {
 public:
  using Build = std::function<Gev(double value, std::span<const double> others)>;

  WarmProfile(const GevLikelihood& likelihood, Build build, Parameters start, Parameters steps)
      : likelihood_(likelihood),
        build_(std::move(build)),
        others_(std::move(start)),
        steps_(std::move(steps)) {}

  double operator()(double value) {
    const LogLikelihood rest = [&](std::span<const double> others) {
      const Gev gev = build_(value, others);
      if (gev.shape <= kLeastShape || gev.shape >= kMostShape) return kImpossible;
      return likelihood_(gev);
    };
    const auto best = maximise(rest, others_, steps_);
    if (!best) return kImpossible;
    others_ = best->at;
    return best->value;
  }

 private:
  const GevLikelihood& likelihood_;
  Build build_;
  Parameters others_;
  Parameters steps_;
};

}  // namespace

Covariance3 gev_covariance(const GevLikelihood& likelihood, const Gev& at) {
  const Eigen::Matrix3d matrix =
      covariance(by_parameters(likelihood), parameters(at), small_steps(at));
  Covariance3 result{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result.at(i).at(j) = matrix(i, j);
  }
  return result;
}

double gev_level_error(const GevLikelihood& likelihood, const Gev& at, double probability) {
  const Eigen::Vector3d g = level_gradient(at, probability);
  const Eigen::Matrix3d v = covariance(by_parameters(likelihood), parameters(at), small_steps(at));
  return std::sqrt(g.dot(v * g));
}

Interval gev_level_interval(const GevLikelihood& likelihood, const GevFit& fit, double probability,
                            double cut) {
  const double y = -std::log1p(-probability);
  const WarmProfile profile(likelihood,
                            [y](double z, std::span<const double> others) {
                              const double scale = std::exp(others[0]);
                              return Gev{location_for(z, scale, others[1], y), scale, others[1]};
                            },
                            {std::log(fit.gev.scale), fit.gev.shape}, {0.15, 0.08});
  return profile_interval(profile, gev_level(fit.gev, probability), fit.log_likelihood, cut,
                          0.15 * fit.gev.scale);
}

Interval gev_shape_interval(const GevLikelihood& likelihood, const GevFit& fit, double cut) {
  const WarmProfile profile(likelihood,
                            [](double shape, std::span<const double> others) {
                              return Gev{others[0], std::exp(others[1]), shape};
                            },
                            {fit.gev.location, std::log(fit.gev.scale)},
                            {0.3 * fit.gev.scale, 0.2});
  return profile_interval(profile, fit.gev.shape, fit.log_likelihood, cut, 0.05);
}

double profile_cut(double confidence) { return chi_squared_quantile(confidence, 1) / 2; }

ClusterAdjustment adjust_for_runs(std::span<const GevLikelihood> runs, const Gev& at,
                                  double probability, double confidence) {
  const auto k = static_cast<double>(runs.size());
  Eigen::MatrixXd scores(static_cast<Eigen::Index>(runs.size()), 3);
  Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
  for (size_t run = 0; run < runs.size(); ++run) {
    const LogLikelihood likelihood = by_parameters(runs[run]);
    scores.row(static_cast<Eigen::Index>(run)) =
        gradient(likelihood, parameters(at), small_steps(at)).transpose();
    information -= hessian(likelihood, parameters(at), small_steps(at));
  }
  const Eigen::MatrixXd centred = scores.rowwise() - scores.colwise().mean();
  const Eigen::Matrix3d between = k / (k - 1) * centred.transpose() * centred;
  const Eigen::Matrix3d naive = information.inverse();
  const Eigen::Matrix3d robust = naive * between * naive;
  const Eigen::Vector3d g = level_gradient(at, probability);
  const double inflation = g.dot(robust * g) / g.dot(naive * g);
  const double t = t_quantile((1 + confidence) / 2, k - 1);
  return {.error = std::sqrt(g.dot(naive * g)),
          .robust_error = std::sqrt(g.dot(robust * g)),
          .inflation = inflation,
          .cut = 0.5 * std::max(1.0, inflation) * t * t};
}

}  // namespace rtsweep::statistics
