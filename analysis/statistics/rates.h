// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <span>

#include "analysis/statistics/interval.h"

// How often something happens: shares of samples, events per time, and their scatter.
namespace rtsweep::statistics {

// Exact (Clopper-Pearson 1934) interval of the share of samples with a property, from
// `with_it` of `samples`. Both may be fractions, as after division by dispersion().
Interval share_interval(double with_it, double samples, double confidence);

// Exact (Garwood 1936) interval of the mean of a Poisson count. For a rate, divide by the time.
Interval count_interval(double count, double confidence);

struct RateRatio {
  double ratio = 0;  // first rate over second
  Interval interval;
  double p_value = 0;  // two-sided: all splits at most as likely as the one seen
};

// Two event counts over two exposures, given their sum: the exact conditional binomial test, as
// R's poisson.test. Assumes Poisson events: not for bursts, nor for runs with scatter of their own.
RateRatio compare_rates(uint64_t first, double first_time, uint64_t second, double second_time,
                        double confidence);

// Variance over mean of per-interval counts: the design effect of bursts. 1 for Poisson events,
// and at least 1, as scatter below Poisson is chance. Above 1.2: divide n and x by it.
double dispersion(std::span<const double> interval_counts);
inline constexpr double kBurstyDispersion = 1.2;

// share_interval() of counts that come in bursts: x and n divided by their dispersion.
Interval bursty_share_interval(double with_it, double samples, double dispersion,
                               double confidence);

// The interval of the mean over runs, with the runs as the unit: Student's t. From three runs on
// this replaces every interval pooled over samples. Needs two values; else infinite.
Interval mean_interval(std::span<const double> values_of_runs, double confidence);

}  // namespace rtsweep::statistics
