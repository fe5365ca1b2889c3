// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/cyclictest_merge.h"

#include <algorithm>

namespace rtsweep {
namespace {

template <typename T>
void add(std::optional<T>& sum, const std::optional<T>& more) {
  if (more) sum = sum.value_or(0) + *more;
}

std::optional<double> merged_average(const CyclictestThread& a, const CyclictestThread& b) {
  if (!a.avg || !b.avg) return a.avg ? a.avg : b.avg;
  const auto weight_a = static_cast<double>(a.cycles.value_or(0));
  const auto weight_b = static_cast<double>(b.cycles.value_or(0));
  if (weight_a + weight_b == 0) return a.avg;
  return (*a.avg * weight_a + *b.avg * weight_b) / (weight_a + weight_b);
}

void add_thread(CyclictestThread& sum, const CyclictestThread& more) {
  sum.avg = merged_average(sum, more);
  add(sum.cycles, more.cycles);
  add(sum.overflows, more.overflows);
  add(sum.smis, more.smis);
  if (more.min) sum.min = std::min(sum.min.value_or(*more.min), *more.min);
  if (more.max) sum.max = std::max(sum.max.value_or(*more.max), *more.max);
  for (const auto& [latency, count] : more.histogram) sum.histogram[latency] += count;
}

}  // namespace

CyclictestRun merge_cyclictest(std::span<const CyclictestRun> parts) {
  CyclictestRun sum = parts.front();
  for (const CyclictestRun& part : parts.subspan(1)) {
    const size_t threads = std::min(sum.threads.size(), part.threads.size());
    for (size_t i = 0; i < threads; ++i) add_thread(sum.threads[i], part.threads[i]);
    sum.spikes.insert(sum.spikes.end(), part.spikes.begin(), part.spikes.end());
    sum.end_time = part.end_time;
    sum.break_thread = part.break_thread;
    sum.break_value = part.break_value;
  }
  return sum;
}

}  // namespace rtsweep
