// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics/distributions.h"

namespace rtsweep::statistics {
namespace {

// The first k of [low, end) for which `holds`, which is false and then true; `end` if none.
template <typename Predicate>
uint64_t first_that(uint64_t low, uint64_t end, Predicate holds) {
  while (low < end) {
    const uint64_t middle = low + (end - low) / 2;
    if (holds(middle)) {
      end = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

std::optional<double> value_at(const Buckets& buckets, uint64_t rank) {
  if (rank == 0) return std::nullopt;
  uint64_t seen = 0;
  for (const Bucket& bucket : buckets) {
    seen += bucket.count;
    if (seen >= rank) return bucket.lower;
  }
  return std::nullopt;
}

}  // namespace

RankInterval quantile_ranks(uint64_t n, double probability, double confidence) {
  const double tail = (1 - confidence) / 2;
  RankInterval ranks;
  // The largest l with P(X <= l - 1) <= tail is the first k with P(X <= k) > tail.
  ranks.lower =
      first_that(0, n, [&](uint64_t k) { return binomial_cdf(k, n, probability) > tail; });
  ranks.upper =
      first_that(1, n + 1, [&](uint64_t k) { return binomial_upper(k, n, probability) <= tail; });
  const double below = ranks.lower > 0 ? binomial_cdf(ranks.lower - 1, n, probability) : 0;
  ranks.coverage = 1 - below - binomial_upper(ranks.upper, n, probability);
  return ranks;
}

uint64_t nearest_rank(uint64_t n, double probability) {
  const double exact = probability * static_cast<double>(n);
  // 0.99999 of a million is 999990, although the product comes out a hair above.
  const double hair = 4 * std::numeric_limits<double>::epsilon() * exact;
  const auto rank = static_cast<uint64_t>(std::ceil(exact - hair));
  return std::clamp<uint64_t>(rank, 1, std::max<uint64_t>(n, 1));
}

QuantileEstimate bucket_quantile(const Buckets& buckets, uint64_t overflows, double probability,
                                 double confidence) {
  uint64_t samples = overflows;
  for (const Bucket& bucket : buckets) samples += bucket.count;
  if (samples == 0) return {};
  QuantileEstimate estimate{.rank = nearest_rank(samples, probability),
                            .ranks = quantile_ranks(samples, probability, confidence)};
  estimate.value = value_at(buckets, estimate.rank);
  estimate.lower = value_at(buckets, estimate.ranks.lower);
  estimate.upper = value_at(buckets, estimate.ranks.upper);
  return estimate;
}

double proven_tail_probability(double samples, double confidence) {
  return -std::expm1(std::log1p(-confidence) / samples);
}

uint64_t samples_to_bound(double tail_probability, double confidence, uint64_t order) {
  const auto proves = [&](uint64_t n) {
    return binomial_cdf(order - 1, n, tail_probability) <= 1 - confidence;
  };
  uint64_t enough = order;
  while (!proves(enough)) enough *= 2;
  return first_that(order, enough, proves);
}

}  // namespace rtsweep::statistics
