// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "analysis/statistics/interval.h"
#include "runner/base/result.h"

// Maximum likelihood with few parameters.
namespace rtsweep::statistics {

using Parameters = std::vector<double>;

// A log-likelihood. -infinity where the data are impossible.
using LogLikelihood = std::function<double(std::span<const double>)>;

struct Maximum {
  Parameters at;
  double value = 0;
};

// The maximum near `start`, which must be possible. Nelder & Mead's simplex by NLopt, from first
// steps of size `steps`, run twice so that a collapsed simplex starts afresh. Needs no gradient,
// which the edges of a distribution's support do not have.
Result<Maximum> maximise(const LogLikelihood& likelihood, const Parameters& start,
                         const Parameters& steps);

// The likelihood of one quantity with all others at their best, as a function of it.
using Profile = std::function<double(double)>;

// All values with profile > top - cut, around `centre`, where the profile has its maximum `top`.
// Looks outward in growing steps from `step`; a side that never drops that far is infinite.
// Each side works on a copy of the profile, which may remember where it last was.
// 95 %: cut = chi_squared_quantile(0.95, 1) / 2.
Interval profile_interval(const Profile& profile, double centre, double top, double cut,
                          double step);

}  // namespace rtsweep::statistics
