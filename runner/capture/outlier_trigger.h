// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/capture/trace_instance.h"

namespace rtsweep {

// The kernel itself sees that a wakeup was late and stops recording, while the probe goes on:
// histogram triggers and synthetic events (Documentation/trace/histogram.rst).
//
//   hrtimer_start   remembers the programmed expiry of the sleeping thread
//   sched_waking    latency up to here                                -> rtsweep_waking
//   sched_switch    to the thread: latency up to here                 -> rtsweep_switched
//   hrtimer_start   when it sleeps again: it has read the clock in between, so that the time
//                   since the expiry is the latency that it saw, or more -> rtsweep_late
//
// A filter on rtsweep_late switches the instance's recording off. No outlier is missed by it, and
// some that are a little below the breakpoint are seen too; cyclictest's own numbers decide
// in the end. Recording is stopped, and no snapshot taken, because it is on again by one write:
// to arm a snapshot again takes three grace periods of RCU, 190 ms in a VM under hackbench.
class OutlierTrigger {
 public:
  // Sets the triggers in the instance; nothing stops the recording yet. kNotSupported when the
  // kernel has no histogram triggers.
  static Result<OutlierTrigger> set(const TraceInstance& trace);

  OutlierTrigger(OutlierTrigger&& other) noexcept;
  OutlierTrigger& operator=(OutlierTrigger&&) = delete;
  ~OutlierTrigger();  // triggers and synthetic events are gone

  // From now on a wakeup that takes longer than this stops the recording.
  Result<void> set_threshold(int64_t threshold_ns);

  // Whether the recording stands still, and its going on.
  Result<bool> has_stopped() const;
  Result<void> go_on() const;

  // A stack trace where a waking, or the switch to the thread, is later than this: what the timer's
  // interrupt came into, and where the CPU was given up.
  Result<void> add_stacks(int64_t threshold_ns) const;

 private:
  explicit OutlierTrigger(const TraceInstance& trace) : trace_(&trace) {}

  const TraceInstance* trace_;
  bool has_threshold_ = false;
};

// The filter for wakeups whose field is longer than this. None is as long as an hour: that is
// what a wrong expiry looks like.
std::string late_filter(std::string_view field, int64_t threshold_ns);

// One rtsweep_late, as trace_pipe prints it.
struct LateWakeup {
  int pid = -1;
  int cpu = -1;
  int64_t at_ns = 0;           // CLOCK_MONOTONIC, to the microsecond: when it went to sleep again
  int64_t expiry_ns = 0;       // programmed, CLOCK_MONOTONIC
  int64_t until_sleep_ns = 0;  // from expiry to its going to sleep again
};

// Empty for other lines. On 32-bit kernels synthetic events hold 32 bits of the expiry: the rest
// is that of the time stamp.
std::optional<LateWakeup> parse_late_wakeup(std::string_view line);

}  // namespace rtsweep
