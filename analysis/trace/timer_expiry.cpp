// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/timer_expiry.h"

#include <algorithm>
#include <span>

#include "analysis/trace/scan.h"
#include "analysis/trace/sched_events.h"

namespace rtsweep {
namespace {

constexpr size_t kNeighbours = 2'000;             // events looked at for the clocks' difference
constexpr size_t kFarthestEntry = 5'000;          // events looked back for a timer's callback
constexpr size_t kFarthestStart = 100'000;        // events looked back for a timer's start
constexpr int64_t kLatestTimer = 10'000'000'000;  // later than that is another clock

// The trace clock less the timer's, CLOCK_MONOTONIC for whatever is measured: `now` is read a
// little before the event is written, and other timers may have run in between, so the least of its
// neighbours is the best.
int64_t clock_difference(const Trace& trace, size_t index) {
  if (trace.clock == "mono") return 0;
  const auto difference = [](const TraceEvent& event) -> std::optional<int64_t> {
    const auto now = number_field(event.text, "now");
    if (!now) return std::nullopt;
    return event.time_ns - *now;
  };
  constexpr int64_t kSameClock = 100'000;
  const int64_t here = difference(trace.events[index]).value_or(0);
  int64_t least = here;
  const size_t first = index - std::min(index, kNeighbours);
  const size_t last = std::min(index + kNeighbours, trace.events.size());
  for (const TraceEvent& event : std::span(trace.events).subspan(first, last - first)) {
    if (event.name != "hrtimer_expire_entry") continue;
    const auto there = difference(event);
    if (there && there.value() > here - kSameClock) least = std::min(least, there.value());
  }
  return least;
}

}  // namespace

std::optional<size_t> expiring_timer(const Trace& trace, size_t index) {
  const TraceEvent& waking = trace.events[index];
  for (size_t i = index; i-- > 0 && index - i < kFarthestEntry;) {
    const TraceEvent& event = trace.events[i];
    if (event.cpu != waking.cpu) continue;
    if (event.name == "hrtimer_expire_exit" || is_switch(event)) return std::nullopt;
    if (event.name == "hrtimer_expire_entry") return i;
  }
  return std::nullopt;
}

std::optional<int64_t> programmed_expiry(const Trace& trace, size_t index) {
  const auto entry = expiring_timer(trace, index);
  return entry ? expiry_of(trace, *entry) : std::nullopt;
}

std::optional<int64_t> expiry_of(const Trace& trace, size_t entry) {
  const TraceEvent& expires = trace.events[entry];
  const std::string_view timer = field(expires.text, "hrtimer");
  if (timer.empty() || !number_field(expires.text, "now")) return std::nullopt;
  for (size_t i = entry; i-- > 0 && entry - i < kFarthestStart;) {
    const TraceEvent& event = trace.events[i];
    if (event.name != "hrtimer_start" || field(event.text, "hrtimer") != timer) continue;
    // What was asked for; `expires` is later by the slack of ordinary threads.
    auto programmed = number_field(event.text, "softexpires");
    if (!programmed) programmed = number_field(event.text, "expires");
    if (!programmed) return std::nullopt;
    const int64_t time = *programmed + clock_difference(trace, entry);
    if (time > expires.time_ns || time < expires.time_ns - kLatestTimer) return std::nullopt;
    return time;
  }
  return std::nullopt;
}

}  // namespace rtsweep
