// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>

#include "analysis/statistics/bucket.h"

namespace rtsweep::statistics {

// Puts back the activations that a late wakeup skipped. cyclictest with its absolute timer records
// a latency of v once and steps over the v / interval activations that passed meanwhile: those
// were v - interval, v - 2 interval, ... late, as long as that is positive.
//
// HdrHistogram's copyCorrectedForCoordinatedOmission stops at values below the interval instead;
// here those were late activations, too. With a relative timer (cyclictest -r) the omission
// cannot be put back: do not call it then. `lower` and `interval` in the same unit; O(buckets *
// skipped per bucket), so absurd latencies must have been
// rejected before.
Buckets with_skipped_activations(const Buckets& recorded, double interval);

uint64_t total(const Buckets& buckets);
uint64_t count_above(const Buckets& buckets, double level);  // buckets whose lower edge is > level

}  // namespace rtsweep::statistics
