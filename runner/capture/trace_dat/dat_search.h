// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runner/capture/trace_dat/dat_events.h"

namespace rtsweep {

// Where in a file the outlier is, in the file's clock.
struct DatSpot {
  uint64_t begin = 0;  // no later than its programmed expiry, where that is known
  uint64_t end = 0;    // its mark, or its context switch
};

// The pages of all CPUs of one instance.
struct DatPageSet {
  std::vector<DatPages> cpus;
  PageFields fields;

  uint64_t bytes(size_t page_size) const;
};

// Finds the outlier without turning events into text: cyclictest's last "hit latency
// threshold" or the last rtsweep_late near the end; else, in one pass over the whole file,
// such a mark further to the front, timerlat's greatest latency, or the longest way from
// programmed expiry (where the timer is traced) or waking to running: of a real-time
// thread, or of any when no real-time thread waited past `breakpoint_ns`. Empty without any
// of these.
std::optional<DatSpot> find_spot(DatPageSet& pages, const DatFormats& formats,
                                 const DatContainer& container, int64_t breakpoint_ns);

}  // namespace rtsweep
