// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/maximise.h"

#include <nlopt.h>

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>
#include <memory>

namespace rtsweep::statistics {
namespace {

constexpr int kMostEvaluations = 4000;
constexpr double kPrecision = 1e-9;

using Optimiser = std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)>;

double evaluate(unsigned size, const double* at, double*, void* likelihood) {
  const double value = (*static_cast<const LogLikelihood*>(likelihood))({at, size});
  return std::isnan(value) ? -HUGE_VAL : value;
}

bool climb(LogLikelihood& likelihood, Maximum& maximum, const Parameters& steps) {
  const Optimiser optimiser(
      nlopt_create(NLOPT_LN_NELDERMEAD, static_cast<unsigned>(maximum.at.size())), nlopt_destroy);
  nlopt_set_max_objective(optimiser.get(), evaluate, &likelihood);
  nlopt_set_initial_step(optimiser.get(), steps.data());
  nlopt_set_xtol_rel(optimiser.get(), kPrecision);
  nlopt_set_ftol_rel(optimiser.get(), 1e-14);
  nlopt_set_maxeval(optimiser.get(), kMostEvaluations);
  const nlopt_result result = nlopt_optimize(optimiser.get(), maximum.at.data(), &maximum.value);
  return result > 0 || result == NLOPT_ROUNDOFF_LIMITED;
}

struct Point {
  double at = 0;
  double above_cut = 0;
};

// The values at both ends are those seen before: a profile that starts each search where the last
// one ended may give another value now, and the ends would no longer hold a root between them.
double root_between(const std::function<double(double)>& f, Point a, Point b) {
  // Far below the cut, where no parameters allow the data.
  constexpr double kFarBelow = -1e6;
  const auto finite = [&](double at) {
    const double value = f(at);
    return std::isfinite(value) ? value : kFarBelow;
  };
  if (a.at > b.at) std::swap(a, b);
  std::uintmax_t evaluations = 50;
  const auto root =
      boost::math::tools::toms748_solve(finite, a.at, b.at, a.above_cut, b.above_cut,
                                        boost::math::tools::eps_tolerance<double>(26), evaluations);
  return (root.first + root.second) / 2;
}

// Where `above_cut` turns negative on one side; `direction` is -1 or 1.
double crossing(const std::function<double(double)>& above_cut, Point centre, double direction,
                double first_step) {
  constexpr int kMostSteps = 80;
  Point inside = centre;
  double step = first_step;
  for (int i = 0; i < kMostSteps; ++i) {
    const Point outside = {inside.at + direction * step, above_cut(inside.at + direction * step)};
    if (std::isfinite(outside.above_cut) && outside.above_cut < 0) {
      return root_between(above_cut, inside, outside);
    }
    if (outside.above_cut >= 0) {
      inside = outside;
      step *= 1.5;
    } else if (step > 1e-7 * first_step) {
      step /= 2;  // past what the data allow: come back
    } else {
      return inside.at;
    }
  }
  return direction * std::numeric_limits<double>::infinity();
}

}  // namespace

Result<Maximum> maximise(const LogLikelihood& likelihood, const Parameters& start,
                         const Parameters& steps) {
  LogLikelihood callee = likelihood;
  Maximum maximum{start, likelihood(start)};
  if (!std::isfinite(maximum.value)) {
    return Error(Errc::kBadData, "the fit has no start that the data allow");
  }
  Parameters smaller = steps;
  for (double& step : smaller) step *= 0.3;
  if (!climb(callee, maximum, steps) || !climb(callee, maximum, smaller)) {
    return Error(Errc::kBadData, "the likelihood has no maximum that can be found");
  }
  return maximum;
}

Interval profile_interval(const Profile& profile, double centre, double top, double cut,
                          double step) {
  const auto side = [&](double direction) {
    Profile own = profile;
    return crossing([&](double value) { return own(value) - (top - cut); }, {centre, cut},
                    direction, step);
  };
  return {side(-1), side(1)};
}

}  // namespace rtsweep::statistics
