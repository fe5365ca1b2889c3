// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace rtsweep {

using Latency = std::chrono::microseconds;

// Wakeup latencies of one CPU, counted in buckets of one microsecond, the way
// cyclictest --histogram counts them.
//
// Latencies past the last bucket are counted as overflows: their number is
// known, their size is not, so a quantile that falls among them has no value.
class LatencyHistogram {
 public:
  // Counts latencies in [0, limit) exactly.
  explicit LatencyHistogram(Latency limit) : counts_(limit.count()) {}

  void add(Latency latency, uint64_t times = 1);
  void merge(const LatencyHistogram& other);

  uint64_t samples() const { return samples_; }
  uint64_t overflows() const { return overflows_; }

  // By latency in microseconds: counts()[5] samples had [5, 6) us.
  const std::vector<uint64_t>& counts() const { return counts_; }

  // The smallest latency that at least `ppm` of a million samples do not exceed
  // (nearest rank): 999'990 is p99.999. Empty without samples, and when the rank
  // falls among the overflows.
  std::optional<Latency> quantile(uint64_t ppm) const;

 private:
  std::vector<uint64_t> counts_;
  uint64_t samples_ = 0;
  uint64_t overflows_ = 0;
};

}  // namespace rtsweep
