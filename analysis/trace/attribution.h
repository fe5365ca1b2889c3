// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <vector>

#include "analysis/trace/explanation.h"
#include "analysis/trace/outlier.h"

namespace rtsweep {

// The longest time without an event on a CPU.
struct Gap {
  int cpu = -1;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  size_t before_line = 0;        // the event before it; 0: the trace begins with it
  size_t after_line = 0;         // and the one after it
  size_t other_events = 0;       // of other CPUs meanwhile
  double expected = 0;           // of these, at their rate in the rest of the trace
  double quiet_share = 0;        // of the rest's time, that they pass in gaps half as long
  bool timers_held = false;      // a timer of another CPU was due in it, and expired after it
  std::optional<bool> irqs_off;  // by irq_disable/enable or the columns; empty: not to be told

  int64_t length_ns() const { return end_ns - begin_ns; }
  // Nothing happened anywhere though something was to be expected: only firmware or a
  // hypervisor stops all CPUs at once.
  bool machine_silent() const {
    return other_events == 0 && ((expected >= 10 && quiet_share < 0.1) || timers_held);
  }
};

// What the time of an outlier was spent on, in segments that follow one another without a
// gap from its begin to its end: each moment counts for what had the CPU then, a hard
// interrupt before a softirq before a thread.
struct Attribution {
  std::vector<Segment> segments;
  std::optional<Gap> gap;              // the longest on the CPU in that time
  std::vector<EvidenceLine> evidence;  // the lines that the segments rest on
  std::vector<std::string> doubts;     // lost events, damaged lines, contradictions in it
  bool lost = false;                   // one of the doubts is a hole in the trace
};

Attribution attribute(const Trace& trace, const Outlier& outlier);

}  // namespace rtsweep
