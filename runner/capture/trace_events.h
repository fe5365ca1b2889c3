// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/capture/capture_spec.h"
#include "runner/capture/trace_instance.h"

namespace rtsweep {

// Which events record, and which of ours this kernel does not have.
struct TracedEvents {
  std::vector<std::string> enabled;  // "sched/sched_switch", each event by itself
  std::vector<std::string> missing;  // "preemptirq" where the kernel is built without it
};

// Enables the events that an explanation of a wakeup's latency needs, and the user's own.
// An event or system of the user's that the kernel does not have is an error; of ours it is
// only told.
Result<TracedEvents> enable_events(const TraceInstance& trace, const CaptureSpec& spec);

}  // namespace rtsweep
