// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <vector>

#include "analysis/trace/attribution.h"
#include "analysis/trace/cpu_timeline.h"
#include "analysis/trace/interrupted.h"

namespace rtsweep {

// What the thread waits for in a part of its latency.
enum class Phase {
  kInterrupt,  // its timer's interrupt
  kWaking,     // that interrupt's handler
  kCpu,        // the CPU
  kAfter,      // it has run: to read the clock, unless somebody takes the CPU again
};

struct PhaseSpan {
  Phase phase = Phase::kCpu;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

// What is known of the latency as a whole.
struct LatencyFacts {
  TaskRef task;                            // whose latency it is
  std::optional<Gap> silent;               // the time in which the whole machine stood
  std::optional<Interrupted> interrupted;  // what the waking interrupt came into
  int64_t interrupted_pid = -1;            // in which thread
};

// The segments of one span on one CPU, in the order of time, without gaps.
std::vector<Segment> segments_of(const CpuTimeline& timeline, const PhaseSpan& span,
                                 const LatencyFacts& facts);

// Neighbours of one kind and one cause become one.
std::vector<Segment> merge_segments(std::vector<Segment> segments);

}  // namespace rtsweep
