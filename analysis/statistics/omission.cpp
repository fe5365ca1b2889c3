// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/omission.h"

#include <map>

namespace rtsweep::statistics {

Buckets with_skipped_activations(const Buckets& recorded, double interval) {
  std::map<double, uint64_t> counts;
  for (const Bucket& bucket : recorded) {
    counts[bucket.lower] += bucket.count;
    if (interval <= 0) continue;
    for (double late = bucket.lower - interval; late > 0; late -= interval) {
      counts[late] += bucket.count;
    }
  }
  Buckets result;
  for (const auto& [lower, count] : counts) result.push_back({lower, count});
  return result;
}

uint64_t total(const Buckets& buckets) {
  uint64_t sum = 0;
  for (const Bucket& bucket : buckets) sum += bucket.count;
  return sum;
}

uint64_t count_above(const Buckets& buckets, double level) {
  uint64_t sum = 0;
  for (const Bucket& bucket : buckets) sum += bucket.lower > level ? bucket.count : 0;
  return sum;
}

}  // namespace rtsweep::statistics
