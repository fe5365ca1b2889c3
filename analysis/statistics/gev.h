// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "analysis/statistics/bucket.h"
#include "analysis/statistics/interval.h"
#include "runner/base/result.h"

// The generalised extreme value distribution of interval maxima: Coles, An Introduction to
// Statistical Modeling of Extreme Values (2001), chapter 3. Boost has only its Gumbel case.
namespace rtsweep::statistics {

// shape > 0 is a heavy tail, < 0 a bounded one, 0 the Gumbel distribution. (scipy's c is -shape.)
struct Gev {
  double location = 0;
  double scale = 1;
  double shape = 0;
};

// G(x) = exp(-(1 + shape (x - location) / scale)^(-1 / shape)).
double gev_cdf(const Gev& gev, double x);
double gev_log_density(const Gev& gev, double x);  // -infinity outside the support

// The level that the maximum of one interval exceeds with this probability (Coles, eq. 3.4).
double gev_level(const Gev& gev, double probability);

// gev_level()'s derivatives by location, scale and shape.
std::array<double, 3> gev_level_gradient(const Gev& gev, double probability);

// L-moments by unbiased probability weighted moments: Hosking, J. R. Stat. Soc. B 52 (1990).
struct LMoments {
  double l1 = 0;  // the mean
  double l2 = 0;
  double t3 = 0;  // l3 / l2
};
LMoments l_moments(std::span<const double> values);  // three values at least

// The distribution with these L-moments, by the approximation of Hosking, Wallis & Wood (1985),
// and by the root of their exact equation. A start for the fits: cheap and always there.
Gev gev_from_l_moments(const LMoments& moments);
Gev gev_from_l_moments_exactly(const LMoments& moments);

// The log-likelihood of some maxima under a distribution: -infinity when they are impossible.
using GevLikelihood = std::function<double(const Gev&)>;

GevLikelihood likelihood_of(std::vector<double> maxima);  // known exactly

// Maxima known by their bucket only, and those below a level only by their number: rounded
// latencies. sum c_v ln[G(v + w) - G(v)] + n ln G(level): Ma, Yan & Zhang, NEJSDS (2026).
struct GroupedMaxima {
  Buckets buckets;  // at or above censored_below
  double width = 1;
  double censored_below = 0;
  uint64_t censored = 0;

  uint64_t kept() const;
};

// Groups maxima (bucket floors) into buckets; those below `threshold` are censored.
GroupedMaxima group_maxima(std::span<const double> maxima, double width, double threshold);

GevLikelihood likelihood_of(GroupedMaxima maxima);

struct GevFit {
  Gev gev;
  double log_likelihood = 0;
};

// Maximum likelihood from a start, with the shape held within (-0.9, 1.5). When the start is
// impossible for the data, wider ones are tried.
Result<GevFit> fit_gev(const GevLikelihood& likelihood, const Gev& start);

// The same with the shape held at 0 (Gumbel).
Result<GevFit> fit_gumbel(const GevLikelihood& likelihood, const Gev& start);

// A start for grouped maxima: the L-moments of the bucket middles, the censored ones left out.
Gev start_for(const GroupedMaxima& maxima);

}  // namespace rtsweep::statistics
