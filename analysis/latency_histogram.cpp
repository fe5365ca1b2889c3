// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/latency_histogram.h"

#include <algorithm>

namespace rtsweep {

void LatencyHistogram::add(Latency latency, uint64_t times) {
  const auto bucket = static_cast<size_t>(latency.count());
  (bucket < counts_.size() ? counts_[bucket] : overflows_) += times;
  samples_ += times;
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  // The narrower limit wins: past it, one of the two only knows the number.
  while (counts_.size() > other.counts_.size()) {
    overflows_ += counts_.back();
    counts_.pop_back();
  }
  for (size_t us = 0; us < other.counts_.size(); ++us) {
    (us < counts_.size() ? counts_[us] : overflows_) += other.counts_[us];
  }
  overflows_ += other.overflows_;
  samples_ += other.samples_;
}

std::optional<Latency> LatencyHistogram::quantile(uint64_t ppm) const {
  if (samples_ == 0) return std::nullopt;
  const uint64_t rank = std::max<uint64_t>(1, (samples_ * ppm + 999'999) / 1'000'000);
  uint64_t seen = 0;
  for (size_t us = 0; us < counts_.size(); ++us) {
    seen += counts_[us];
    if (seen >= rank) return Latency(us);
  }
  return std::nullopt;
}

}  // namespace rtsweep
