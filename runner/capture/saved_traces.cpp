// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/saved_traces.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rtsweep {
namespace {

int64_t lateness(const SavedTrace& trace) { return trace.wakeup.until_sleep_ns; }

}  // namespace

size_t SavedTrace::bytes() const {
  return std::accumulate(cpus.begin(), cpus.end(), size_t{0},
                         [](size_t sum, const CpuPages& cpu) { return sum + cpu.bytes.size(); });
}

bool SavedTraces::is_full() const {
  const size_t bytes =
      std::accumulate(traces_.begin(), traces_.end(), size_t{0},
                      [](size_t sum, const SavedTrace& trace) { return sum + trace.bytes(); });
  return traces_.size() > most() || bytes > static_cast<size_t>(spec_->limit_kib) * 1024;
}

// The least late of those that are not among the first; the last of these when there is no other.
void SavedTraces::drop_least() {
  const auto first = std::min(static_cast<size_t>(spec_->keep_first), traces_.size() - 1);
  const auto least = std::ranges::min_element(traces_.begin() + static_cast<std::ptrdiff_t>(first),
                                              traces_.end(), {}, lateness);
  traces_.erase(least);
  ++not_kept_;
}

void SavedTraces::add(SavedTrace trace) {
  traces_.push_back(std::move(trace));
  while (!traces_.empty() && is_full()) drop_least();
}

int64_t SavedTraces::threshold_with(const SavedTrace& trace) const {
  const int64_t breakpoint_ns = spec_->breakpoint_us * 1000;
  if (traces_.size() + 1 < most()) return breakpoint_ns;
  // The worst keep_worst of those that may have to go: the least of them is the bar.
  std::vector<int64_t> others;
  for (auto i = static_cast<size_t>(spec_->keep_first); i < traces_.size(); ++i) {
    others.push_back(lateness(traces_[i]));
  }
  others.push_back(lateness(trace));
  std::ranges::sort(others, std::greater<>());
  const auto bar = std::min(others.size(), static_cast<size_t>(std::max(spec_->keep_worst, 1)));
  return std::max(breakpoint_ns, others[bar - 1]);
}

std::vector<SavedTrace> SavedTraces::take() {
  std::ranges::sort(traces_, {}, [](const SavedTrace& trace) { return trace.wakeup.at_ns; });
  return std::exchange(traces_, {});
}

}  // namespace rtsweep
