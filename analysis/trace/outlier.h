// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/explain.h"
#include "analysis/trace/sched_events.h"
#include "analysis/trace/trace.h"

namespace rtsweep {

// One latency in a trace, in the trace clock's time.
struct Outlier {
  TaskRef task;
  int wake_cpu = -1;       // where the waking happened: the timer's CPU
  int run_cpu = -1;        // where the thread ran in the end
  int64_t begin_ns = 0;    // programmed expiry; the waking where that is not known
  int64_t waking_ns = 0;   // begin_ns when the trace has no waking
  int64_t running_ns = 0;  // the first time it ran after the waking
  int64_t end_ns = 0;      // when it read the clock; running_ns where that is not known
  bool expiry_known = false;
  bool marked = false;     // the measuring program or a tracer said so
  bool ends_late = false;  // end_ns is the mark, written some time after the clock was read
  bool to_switch = false;  // measured by the kernel: end_ns is the context switch
  std::string origin;      // who says it: "cyclictest: hit latency threshold (120 > 50)"
  size_t line = 0;         // of that
  size_t waking_line = 0;
  size_t running_line = 0;

  int64_t latency_ns() const { return end_ns - begin_ns; }
};

// The latency to explain: the one that the caller knows of, otherwise cyclictest's "hit
// latency threshold (A > B)" (the last one), otherwise the last rtsweep_late that agrees with
// the events before it, otherwise timerlat's greatest timer_latency, otherwise the longest way
// from waking to running of a real-time thread, or of any when no real-time thread waited
// past the breakpoint. Empty without any of these.
std::optional<Outlier> find_outlier(const Trace& trace, const ExplainOptions& options);

// cyclictest's words in an event's text: the latency in microseconds.
std::optional<int64_t> latency_hit(const TraceEvent& event);

}  // namespace rtsweep
