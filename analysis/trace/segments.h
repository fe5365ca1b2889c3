// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <vector>

#include "analysis/trace/attribution.h"
#include "analysis/trace/cpu_timeline.h"
#include "analysis/trace/stack_frames.h"

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

// What stack traces say of the two moments that matter; they point into the trace.
struct StackClues {
  Interrupted late;                         // what the thread's timer interrupt came into
  bool alone = false;                       // no other CPU had an event while it was late
  std::vector<std::string_view> switching;  // who called the scheduler that let the thread run
};

// The segments of one span on one CPU, in the order of time, without gaps. `silent` is the
// time in which the whole machine stood, if it did.
std::vector<Segment> segments_of(const CpuTimeline& timeline, const PhaseSpan& span,
                                 const TaskRef& task, const std::optional<Gap>& silent,
                                 const StackClues& clues);

// Neighbours of one kind and one cause become one.
std::vector<Segment> merge_segments(std::vector<Segment> segments);

}  // namespace rtsweep
