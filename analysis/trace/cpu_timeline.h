// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <vector>

#include "analysis/trace/sched_events.h"
#include "analysis/trace/trace.h"

namespace rtsweep {

enum class ActivityKind { kHardIrq, kSoftirq, kIrqsOff, kPreemptOff, kIdle, kTask };

// Something that a CPU did or had switched off from begin to end. Activities nest and
// overlap: a task runs, is interrupted, the interrupt is interrupted.
struct Activity {
  ActivityKind kind = ActivityKind::kTask;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  std::string who;        // interrupt, softirq, idle state, caller; empty: not traced
  TaskRef task;           // of kTask
  std::string left_as;    // of kTask: the state in which it left the CPU; empty: not seen
  size_t begin_line = 0;  // 0: it began before the trace did
  size_t end_line = 0;
  bool guessed = false;  // from the flag columns of neighbouring events, not from a pair

  bool covers(int64_t begin, int64_t end) const { return begin_ns <= begin && end <= end_ns; }
};

// One CPU of a trace.
struct CpuTimeline {
  int cpu = -1;
  std::vector<const TraceEvent*> events;    // in the order of time
  std::vector<Activity> activities;         // in the order of their ends
  std::vector<TraceRemark> contradictions;  // "sched_switch from A, while B was running"
  int64_t last_ns = 0;                      // the time of the last event

  bool is_empty() const { return events.empty(); }
  int64_t begin_ns() const { return events.front()->time_ns; }
};

// What the events of a CPU say it did: pairs of entry and exit of interrupts, vectors,
// inter-processor interrupts and softirqs, *_noise of osnoise, irq_disable/enable and
// preempt_disable/enable, cpu_idle, sched_switch. Where there are no such pairs, the flag
// columns of two events in a row. What has no begin began before the first event, what has
// no end goes on past the last one; nothing goes on across lost events.
CpuTimeline cpu_timeline(const Trace& trace, int cpu);

// The interrupt that lets timers expire, by its name.
bool is_timer_interrupt(const std::string& who);

}  // namespace rtsweep
