// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <array>
#include <span>

#include "analysis/statistics/gev.h"

// How well a fitted distribution and its levels are known.
namespace rtsweep::statistics {

using Covariance3 = std::array<std::array<double, 3>, 3>;

// Of location, scale and shape: the inverse of the observed information.
Covariance3 gev_covariance(const GevLikelihood& likelihood, const Gev& at);

// The delta method, sqrt(g' V g): symmetric, so too short above. For the ratio of variances
// below and for comparison with textbooks; intervals come from the profile.
double gev_level_error(const GevLikelihood& likelihood, const Gev& at, double probability);

// The profile likelihood interval of the level exceeded once in 1 / probability intervals: all
// levels whose best likelihood is within `cut` of the maximum (Coles, 2.6.6 and 3.3.4). An end
// that the data leave open is infinite.
Interval gev_level_interval(const GevLikelihood& likelihood, const GevFit& fit, double probability,
                            double cut);

// The same for the shape.
Interval gev_shape_interval(const GevLikelihood& likelihood, const GevFit& fit, double cut);

// The cut of a 95 % (or other) interval from one run: chi-squared_1 / 2.
double profile_cut(double confidence);

// What runs of their own add to the error of a level: the intervals of one run are alike.
struct ClusterAdjustment {
  double error = 0;         // of the level, as if all intervals were independent
  double robust_error = 0;  // by the sandwich over the runs
  double inflation = 1;     // the ratio of the variances, c
  double cut = 0;           // max(1, c) t_{k-1}^2 / 2
};

// From the likelihoods of the single runs, at the fit of all together: Chandler & Bate,
// Biometrika 94 (2007), as R's lax, with t instead of chi-squared as runs are few. Five runs or
// more; with fewer, report each run alone.
ClusterAdjustment adjust_for_runs(std::span<const GevLikelihood> runs, const Gev& at,
                                  double probability, double confidence);

}  // namespace rtsweep::statistics
