// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/latency_histogram.h"

#include <algorithm>

namespace rtsweep {

void LatencyHistogram::add(Latency latency, uint64_t times) {
  if (latency < Latency(0) || latency >= limit_) return add_overflows(times);
  if (times == 0) return;
  counts_[latency] += times;
  samples_ += times;
}

void LatencyHistogram::add_overflows(uint64_t times) {
  overflows_ += times;
  samples_ += times;
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  limit_ = std::min(limit_, other.limit_);
  const auto past = counts_.lower_bound(limit_);
  for (auto it = past; it != counts_.end(); ++it) overflows_ += it->second;
  counts_.erase(past, counts_.end());
  for (const auto& [latency, times] : other.counts_) add(latency, times);
  add_overflows(other.overflows_);
}

std::optional<Latency> LatencyHistogram::lowest() const {
  if (counts_.empty()) return std::nullopt;
  return counts_.begin()->first;
}

std::optional<Latency> LatencyHistogram::highest() const {
  if (counts_.empty()) return std::nullopt;
  return counts_.rbegin()->first;
}

std::optional<Latency> LatencyHistogram::quantile(uint64_t ppm) const {
  constexpr uint64_t kMillion = 1'000'000;
  if (samples_ == 0) return std::nullopt;
  // samples * ppm / million, rounded up, without the product overflowing.
  const uint64_t whole = samples_ / kMillion * ppm;
  const uint64_t rest = (samples_ % kMillion * ppm + kMillion - 1) / kMillion;
  const uint64_t rank = std::max<uint64_t>(1, whole + rest);
  uint64_t seen = 0;
  for (const auto& [latency, times] : counts_) {
    seen += times;
    if (seen >= rank) return latency;
  }
  return std::nullopt;
}

}  // namespace rtsweep
