// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <span>
#include <string>

#include "runner/base/result.h"
#include "runner/capture/trace_dat.h"
#include "runner/capture/trace_instance.h"

namespace rtsweep {

// What this kernel says of its ring buffer and of these events ("sched/sched_switch"), for a
// trace.dat of the instance. Without kernel symbols: see mentioned_symbols().
Result<TraceDescription> describe_trace(const TraceInstance& trace,
                                        std::span<const std::string> events);

}  // namespace rtsweep
