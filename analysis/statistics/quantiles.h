// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "analysis/statistics/bucket.h"

// Quantiles of counted latencies, with intervals that assume no distribution, and what a maximum
// proves. All assume independent samples of one run: with bursts, hand in n / dispersion().
namespace rtsweep::statistics {

// The order statistics that hold a quantile between them. Ranks are 1-based.
struct RankInterval {
  uint64_t lower = 0;  // 0: no lower limit
  uint64_t upper = 0;  // n + 1: no upper limit, the sample is too short
  double coverage = 0;
};

// The narrowest ranks so that the quantile lies below X_lower, and above X_upper, each with at
// most half of 1 - confidence. David & Nagaraja, Order Statistics (2003), 7.1.
RankInterval quantile_ranks(uint64_t n, double probability, double confidence);

// The nearest rank: the smallest that at least the share `probability` of n values do not exceed.
uint64_t nearest_rank(uint64_t n, double probability);

// Lower edges of buckets: the value itself is anywhere in its bucket.
struct QuantileEstimate {
  uint64_t rank = 0;
  RankInterval ranks;
  std::optional<double> value;  // nothing among the overflows
  std::optional<double> lower;  // nothing: no lower limit
  std::optional<double> upper;  // nothing: no upper limit, or among the overflows
};

// Over all counted values and `overflows` more, which are above every bucket.
QuantileEstimate bucket_quantile(const Buckets& buckets, uint64_t overflows, double probability,
                                 double confidence);

// The maximum of n samples is, with this confidence, above the quantile of order 1 - q: the q.
// q = 1 - (1 - c)^(1/n), close to 3 / n at 95 % (the rule of three). n may be a fraction.
double proven_tail_probability(double samples, double confidence);

// The fewest samples whose `order`-th largest value is, with this confidence, above the quantile
// of order 1 - tail_probability. Wilks, Ann. Math. Stat. 12 (1941): 59, 93, 124 for 95 %/95 %.
uint64_t samples_to_bound(double tail_probability, double confidence, uint64_t order = 1);

}  // namespace rtsweep::statistics
