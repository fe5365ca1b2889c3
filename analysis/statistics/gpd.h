// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <array>
#include <span>
#include <vector>

#include "analysis/statistics/bucket.h"
#include "analysis/statistics/interval.h"
#include "runner/base/result.h"

// The generalised Pareto distribution of excesses over a threshold: Coles (2001), chapter 4. Here
// from the tail of a histogram, as a cross-check of what the interval maxima say.
namespace rtsweep::statistics {

// shape > 0 is a heavy tail, < 0 a bounded one, 0 the exponential distribution.
struct Gpd {
  double scale = 1;
  double shape = 0;
};

double gpd_survival(const Gpd& gpd, double excess);  // (1 + shape y / scale)^(-1 / shape)
double gpd_log_density(const Gpd& gpd, double excess);

// Excesses known by their bucket only, with those past the last bucket known by their number.
// Lower edges count from the threshold.
struct GroupedExcesses {
  Buckets buckets;
  double width = 1;
  double overflow_from = 0;
  uint64_t overflows = 0;
};

struct GpdFit {
  Gpd gpd;
  double log_likelihood = 0;
  std::array<std::array<double, 2>, 2> covariance{};  // of scale and shape
};

Result<GpdFit> fit_gpd(std::span<const double> excesses);  // known exactly

// sum c_v ln[S(v) - S(v + w)] + overflows ln S(from): Ma, Yan & Zhang, NEJSDS (2026). Bucket edges
// must never go into the continuous likelihood: ties at 0 leave it without a maximum, and at a
// scale of one bucket even the middles are off by a quarter.
Result<GpdFit> fit_gpd(const GroupedExcesses& excesses);

// The exponential case, in closed form, and what speaks against it.
struct ExponentialTail {
  double scale = 0;  // the mean excess
  double log_likelihood = 0;

  // Standard deviation over mean: 1 for an exponential tail, within 1.96 / sqrt(n) of it. Del
  // Castillo, Daoudi & Lockhart (2014); MBPTA-CV, Abella et al. (2017). For information.
  double coefficient_of_variation = 0;
};
ExponentialTail exponential_tail(std::span<const double> excesses);

// The level above the threshold exceeded once in `samples`, when a sample exceeds the threshold
// with `exceed_probability`: scale / shape [(samples exceed_probability)^shape - 1] (Coles, 4.12).
// With clusters, multiply the probability by the extremal index.
double gpd_level(const Gpd& gpd, double samples, double exceed_probability);

// Its error by the delta method, with that of the exceedance probability from `exceeding` of
// `total` samples (Coles, 4.3.3): for comparison, too short above.
double gpd_level_error(const GpdFit& fit, double samples, uint64_t exceeding, uint64_t total);

// Its profile likelihood interval, the exceedance probability held as known.
Interval gpd_level_interval(std::span<const double> excesses, const GpdFit& fit, double samples,
                            double exceed_probability, double cut);

}  // namespace rtsweep::statistics
