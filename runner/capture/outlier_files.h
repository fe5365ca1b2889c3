// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/capture_result.h"
#include "runner/base/result.h"
#include "runner/capture/saved_traces.h"
#include "runner/capture/trace_description.h"

namespace rtsweep {

// One file of a trial: its name, its bytes.
struct TraceFile {
  std::string name;
  std::string content;
};

// The hit of this wakeup: on the same CPU, with the same programmed expiry. cyclictest's time
// and latency are cut to microseconds each, so that its expiry is up to 2 us off. Null when
// cyclictest saw nothing past the breakpoint.
const CaptureHit* hit_of(const LateWakeup& wakeup, std::span<const CaptureHit> hits);

// The trace of a hit as a trace.dat. It ends with an entry of trace_marker on the hit's CPU that
// tells every reader which latency it is of: "rtsweep: hit latency threshold (208 > 100)", then
// pid, at_ns, latency_ns.
Result<std::string> outlier_trace_dat(const SavedTrace& trace, const CaptureHit& hit,
                                      int64_t breakpoint_us, TraceDescription description,
                                      const std::string& kallsyms);

}  // namespace rtsweep
