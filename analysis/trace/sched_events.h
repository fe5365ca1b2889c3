// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/trace/trace.h"

namespace rtsweep {

// A thread as a scheduler event names it. The priority is the kernel's: 0 to 98 are
// SCHED_FIFO/RR 99 to 1, -1 SCHED_DEADLINE, 100 to 139 nice -20 to 19.
struct TaskRef {
  std::string comm;
  int64_t pid = -1;  // -1: not printed, as in shortened traces
  std::optional<int> priority;

  bool is_idle() const { return pid == 0 || comm.starts_with("swapper/"); }
  bool is_realtime() const { return priority && *priority < 100 && !is_idle(); }
  bool same_thread(const TaskRef& other) const;
};

// "cyclictest-1234 (RT priority 80)", "bash-77 (nice 0)", "the idle task".
std::string task_text(const TaskRef& task);
std::string priority_text(int kernel_priority);

struct SchedSwitch {
  TaskRef prev;
  std::string prev_state;  // "R", "R+" preempted, "S", "D", "I", ...
  TaskRef next;

  // Still wants to run: it was preempted, it did not go to sleep.
  bool prev_runnable() const { return prev_state.starts_with('R'); }
};

struct SchedWakeup {
  TaskRef task;
  std::optional<int> target_cpu;
};

// The events' texts as the kernel prints them ("prev_comm=... ==> next_comm=...") and as
// trace-cmd's plugins do ("swapper/4:0 [120] R ==> idle_inject/4:37 [49]"), and the wakeup
// tracers' own lines. A comm may hold blanks, '=' and ':'. Empty when damaged.
std::optional<SchedSwitch> sched_switch(const TraceEvent& event);

// sched_waking, sched_wakeup, sched_wakeup_new.
std::optional<SchedWakeup> sched_wakeup(const TraceEvent& event);

bool is_switch(const TraceEvent& event);
bool is_wakeup(const TraceEvent& event);

}  // namespace rtsweep
