// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

// Small traces for each thing that a latency can be spent on, in the form in which the kernel
// prints them, with the segments calculated by hand.
//
// In all of them cyclictest-1000 (kernel priority 4, so SCHED_FIFO 95) on CPU 1 programs its
// timer for 95.001000000 of CLOCK_MONOTONIC. The trace clock is 5 s ahead of that, as
// hrtimer_expire_entry's `now` shows: the programmed expiry is at 100.001000 of the trace.

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "analysis/trace/explain.h"

namespace rtsweep {

inline constexpr const char* kArmed = R"(
      cyclictest-1000    [001] d..2.   100.000000: hrtimer_start: hrtimer=00000000aa function=hrtimer_wakeup expires=95001000000 softexpires=95001000000 mode=ABS
)";
inline constexpr const char* kSleepsIntoIdle = R"(
      cyclictest-1000    [001] d..2.   100.000005: sched_switch: prev_comm=cyclictest prev_pid=1000 prev_prio=4 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
)";
inline constexpr const char* kSleepsIntoBash = R"(
      cyclictest-1000    [001] d..2.   100.000005: sched_switch: prev_comm=cyclictest prev_pid=1000 prev_prio=4 prev_state=S ==> next_comm=bash next_pid=77 next_prio=120
)";
// From 100.001003 to 100.001009, waking at 100.001005.
inline constexpr const char* kTimerOnTimeInBash = R"(
            bash-77      [001] d.h..   100.001003: local_timer_entry: vector=236
            bash-77      [001] d.h1.   100.001004: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001004000
            bash-77      [001] d.h2.   100.001005: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] dNh2.   100.001006: sched_wakeup: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] dNh1.   100.001008: hrtimer_expire_exit: hrtimer=00000000aa
            bash-77      [001] dNh..   100.001009: local_timer_exit: vector=236
)";

inline std::string text_of(std::initializer_list<const char*> parts) {
  std::string text;
  for (const char* part : parts) text += part;
  return text;
}

inline Explanation explained(const std::string& text) {
  auto explanations = explain_text(text, "trace.txt");
  EXPECT_TRUE(explanations.has_value() && explanations->size() == 1);
  return explanations ? explanations->front() : Explanation{};
}

// Kind and microseconds of each segment; they must add up to the latency.
inline std::vector<std::pair<std::string, double>> segments_of(const Explanation& explanation) {
  std::vector<std::pair<std::string, double>> segments;
  int64_t sum = 0;
  for (const Segment& segment : explanation.segments) {
    segments.emplace_back(segment_code(segment.kind), static_cast<double>(segment.length_ns) / 1e3);
    sum += segment.length_ns;
  }
  EXPECT_EQ(sum, explanation.latency_ns.value_or(-1)) << explanation.headline;
  return segments;
}

}  // namespace rtsweep
