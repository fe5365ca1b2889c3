// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "analysis/path/record.h"

namespace rtsweep {

// One wakeup of the measuring thread, as instruction counts (see PathEvent::icount).
struct Wakeup {
  int64_t expiry = 0;   // when the timer was programmed for
  int64_t irq = 0;      // the interrupt is entered
  int64_t wakeup = 0;   // hrtimer_wakeup() of the thread
  int64_t running = 0;  // the last switch before it is in user space; 0: none was seen
  int64_t user = 0;     // it is in user space
  int64_t clock = 0;    // it has read the clock: the latency ends here

  int64_t instructions() const { return clock - expiry; }

  bool operator==(const Wakeup&) const = default;
};

struct WakeupMarks {
  std::set<uint64_t> irq_entries;
  uint64_t finish_task_switch = 0;
  int stack_shift = 14;  // 2^n bytes, aligned: a thread's kernel stack
};

// What the clock of virtual time counts.
struct PathClock {
  int64_t interval_ns = 0;  // of the measuring thread's timer
  double ns_per_instruction = 8;
};

// The wakeups of the thread that sleeps on a timer most often: the measuring one, since
// all others sleep longer. A wakeup that never came to read the clock is left out.
//
// The timer expires at whole intervals from a start which is not known: it is taken from
// the interrupts, most of which are on time. Some are late, and few are early: those of another
// timer, whose handler finds this one expired too. So the lower quartile of the 51 around a
// wakeup tells when they were due (the guest's clock may run off by some ppm).
std::vector<Wakeup> find_wakeups(std::span<const PathEvent> events, const WakeupMarks& marks,
                                 const PathClock& clock);

}  // namespace rtsweep
