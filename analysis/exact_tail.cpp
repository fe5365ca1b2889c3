// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/exact_tail.h"

#include <algorithm>
#include <vector>

namespace rtsweep {
namespace {

std::vector<int64_t> values_past(int64_t limit, int thread, const CaptureResult& capture) {
  std::vector<int64_t> values;
  for (const CaptureHit& hit : capture.hits) {
    if (hit.thread == thread && hit.latency_us >= limit) values.push_back(hit.latency_us);
  }
  return values;
}

}  // namespace

CyclictestRun with_exact_tail(CyclictestRun run, const CaptureResult& capture) {
  if (!run.histogram_limit || run.nanoseconds || !capture.hits_complete) return run;
  const int64_t limit = *run.histogram_limit;
  CyclictestRun exact = run;
  for (CyclictestThread& thread : exact.threads) {
    const std::vector<int64_t> values = values_past(limit, thread.thread, capture);
    if (thread.overflows.value_or(0) != values.size()) return run;
    for (const int64_t value : values) {
      ++thread.histogram[value];
      exact.histogram_limit = std::max(*exact.histogram_limit, value + 1);
    }
    if (thread.overflows) thread.overflows = 0;
  }
  return exact;
}

}  // namespace rtsweep
