// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

namespace rtsweep {

using Latency = std::chrono::microseconds;

// Wakeup latencies of one CPU, counted in buckets of one microsecond, the way
// cyclictest --histogram counts them.
//
// Latencies past the last bucket are counted as overflows: their number is
// known, their size is not, so a quantile that falls among them has no value.
// Negative latencies have no bucket and are overflows too, as in cyclictest.
//
// Only buckets that hold samples take memory, so that a limit taken from somebody
// else's file costs nothing.
class LatencyHistogram {
 public:
  // Counts latencies in [0, limit) exactly.
  explicit LatencyHistogram(Latency limit) : limit_(limit) {}

  void add(Latency latency, uint64_t times = 1);
  void add_overflows(uint64_t times);  // samples of which only the number is known

  // The narrower limit wins: past it, one of the two only knows the number.
  void merge(const LatencyHistogram& other);

  Latency limit() const { return limit_; }
  uint64_t samples() const { return samples_; }  // overflows included
  uint64_t overflows() const { return overflows_; }

  // The buckets that hold samples, in ascending order: latency -> samples.
  const std::map<Latency, uint64_t>& counts() const { return counts_; }
  uint64_t counted() const { return samples_ - overflows_; }  // the sum of counts()
  std::optional<Latency> lowest() const;                      // of the non-empty buckets
  std::optional<Latency> highest() const;  // the maximum, when there are no overflows

  // The smallest latency that at least `ppm` of a million samples do not exceed
  // (nearest rank): 999'990 is p99.999. Empty without samples, and when the rank
  // falls among the overflows.
  std::optional<Latency> quantile(uint64_t ppm) const;

  bool operator==(const LatencyHistogram&) const = default;

 private:
  Latency limit_;
  std::map<Latency, uint64_t> counts_;
  uint64_t samples_ = 0;
  uint64_t overflows_ = 0;
};

}  // namespace rtsweep
