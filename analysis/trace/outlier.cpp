// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/outlier.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/trace/scan.h"
#include "analysis/trace/timer_expiry.h"

namespace rtsweep {
namespace {

constexpr int64_t kStampStep = 1'000;        // ns: cyclictest's stamps are whole microseconds
constexpr int64_t kClockError = 5'000;       // ns: of an expiry from the events of its timer
constexpr int64_t kLongestRun = 10'000'000;  // ns: from running to reading the clock
constexpr int64_t kLongest = 9'000'000'000;  // us: more is damage

bool is_print(const TraceEvent& event) {
  return event.name == "print" || event.name == "tracing_mark_write" || event.name == "bprint";
}

bool wakes(const TraceEvent& event, const TaskRef& task) {
  const auto wakeup = sched_wakeup(event);
  return wakeup && wakeup->task.same_thread(task);
}

bool starts(const TraceEvent& event, const TaskRef& task) {
  const auto change = sched_switch(event);
  return change && change->next.same_thread(task);
}

// The priority of a thread that has been named without one.
void find_priority(const Trace& trace, TaskRef& task) {
  for (const TraceEvent& event : trace.events) {
    if (task.priority) return;
    if (const auto change = sched_switch(event)) {
      if (change->next.same_thread(task)) task.priority = change->next.priority;
      if (change->prev.same_thread(task)) task.priority = change->prev.priority;
    } else if (const auto wakeup = sched_wakeup(event)) {
      if (wakeup->task.same_thread(task)) task.priority = wakeup->task.priority;
    }
  }
}

struct Waking {
  size_t index = 0;
  bool by_timer = false;
};

// The thread's waking that an outlier ending at events[end] goes back to: the last one by
// a timer, otherwise the first one; not before `not_before`.
std::optional<Waking> waking_of(const Trace& trace, const TaskRef& task, size_t end,
                                int64_t not_before) {
  std::optional<Waking> first;
  for (size_t i = end; i-- > 0;) {
    const TraceEvent& event = trace.events[i];
    if (!wakes(event, task)) continue;
    if (event.time_ns < not_before) break;
    if (expiring_timer(trace, i)) {
      // sched_waking stands before sched_wakeup in the same callback.
      Waking waking{.index = i, .by_timer = true};
      for (size_t k = i; k-- > 0;) {
        if (trace.events[k].cpu != event.cpu) continue;
        if (trace.events[k].name == "hrtimer_expire_entry") break;
        if (wakes(trace.events[k], task)) waking.index = k;
      }
      return waking;
    }
    first = Waking{.index = i};
  }
  return first;
}

void set_waking(const Trace& trace, size_t index, Outlier& outlier) {
  const TraceEvent& waking = trace.events[index];
  outlier.waking_ns = waking.time_ns;
  outlier.waking_line = waking.line;
  outlier.wake_cpu = waking.cpu;
  for (size_t i = index; i < trace.events.size(); ++i) {
    if (!starts(trace.events[i], outlier.task) || trace.events[i].time_ns > outlier.end_ns)
      continue;
    outlier.running_ns = trace.events[i].time_ns;
    outlier.running_line = trace.events[i].line;
    break;
  }
}

// When the thread got the CPU for the last time before events[end], not included; it read the
// clock after that, so its latency began no earlier than the latency's length before.
std::optional<size_t> last_start(const Trace& trace, const TaskRef& task, size_t end) {
  for (size_t i = end; i-- > 0;) {
    if (starts(trace.events[i], task)) return i;
  }
  return std::nullopt;
}

// A latency that its program measured: it read the clock no later than `outlier.end_ns`,
// before events[index], and after the thread began to run. Fills in the rest: begin and end
// from the programmed expiry, where the timer is in the trace.
Outlier measured_outlier(const Trace& trace, size_t index, int64_t latency, Outlier outlier) {
  const int64_t read_by = outlier.end_ns;
  find_priority(trace, outlier.task);
  outlier.marked = true;
  outlier.begin_ns = read_by - latency;
  outlier.waking_ns = outlier.begin_ns;
  outlier.running_ns = outlier.end_ns;
  const auto start = last_start(trace, outlier.task, index);
  const int64_t started = start ? trace.events[*start].time_ns : read_by;
  const auto waking = waking_of(trace, outlier.task, index, started - latency - 1'000);
  if (!waking) return outlier;
  set_waking(trace, waking->index, outlier);
  const auto expiry = programmed_expiry(trace, waking->index);
  if (!waking->by_timer || !expiry) {
    // The expiry was not after the waking.
    if (outlier.waking_ns < outlier.begin_ns) {
      outlier.begin_ns = outlier.waking_ns;
      outlier.end_ns = outlier.waking_ns + latency;
    }
    return outlier;
  }
  const int64_t end = *expiry + latency;
  // Rounded down to microseconds by cyclictest; the difference of the clocks is as exact.
  if (end + 2'000 < outlier.running_ns || end > read_by + 2'000) return outlier;
  outlier.begin_ns = *expiry;
  outlier.end_ns = std::max(end, outlier.running_ns);
  outlier.expiry_known = true;
  outlier.ends_late = false;
  return outlier;
}

// cyclictest reads the clock, compares, and then writes the mark.
Outlier marked_outlier(const Trace& trace, size_t index, int64_t latency_us) {
  const TraceEvent& mark = trace.events[index];
  return measured_outlier(
      trace, index, latency_us * 1'000,
      {.task = {.comm = mark.comm, .pid = mark.pid},
       .wake_cpu = mark.cpu,
       .run_cpu = mark.cpu,
       .end_ns = mark.time_ns,
       .ends_late = true,
       .origin = fmt::format("{}: {}", mark.comm, mark.text.substr(mark.text.find("hit latency"))),
       .line = mark.line});
}

// A program that does not say when it read the clock, and ended with this latency: the last time
// that the thread was woken by its timer and began to run so early that the latency covers it.
std::optional<Outlier> last_of_thread(const Trace& trace, const KnownLatency& known) {
  const int64_t latency = known.latency_us * 1'000;
  for (size_t i = trace.events.size(); i-- > 0;) {
    const TraceEvent& event = trace.events[i];
    if (!starts(event, {.pid = known.pid})) continue;
    Outlier outlier = measured_outlier(trace, i + 1, latency,
                                       {.task = sched_switch(event)->next,
                                        .wake_cpu = event.cpu,
                                        .run_cpu = event.cpu,
                                        .end_ns = event.time_ns + latency,
                                        .origin = fmt::format("measured: {} us", known.latency_us),
                                        .line = event.line});
    if (outlier.expiry_known && outlier.end_ns < event.time_ns + kLongestRun) return outlier;
  }
  return std::nullopt;
}

// The caller has the program's own numbers: the thread must have begun to run in the trace
// before it read the clock, and not long before.
std::optional<Outlier> known_outlier(const Trace& trace, const KnownLatency& known) {
  if (known.latency_us < 0 || known.latency_us > kLongest || known.end_ns < 0) return std::nullopt;
  if (known.end_ns == 0) return last_of_thread(trace, known);
  const int64_t read_by = known.end_ns + kStampStep;
  size_t index = trace.events.size();
  while (index > 0 && trace.events[index - 1].time_ns > read_by) --index;
  const auto start = last_start(trace, {.pid = known.pid}, index);
  if (!start) return std::nullopt;
  const int64_t latency = known.latency_us * 1'000;
  if (trace.events[*start].time_ns < known.end_ns - latency - kLongestRun) return std::nullopt;
  const auto change = sched_switch(trace.events[*start]);
  return measured_outlier(trace, index, latency,
                          {.task = change->next,
                           .wake_cpu = trace.events[*start].cpu,
                           .run_cpu = trace.events[*start].cpu,
                           .end_ns = known.end_ns,
                           .origin = fmt::format("measured: {} us", known.latency_us),
                           .line = trace.events[*start].line});
}

// "latency_ns=208123 pid=77", the event that rtsweep's own trigger writes when a thread that
// was late goes to sleep again: from the programmed expiry to its context switch.
std::optional<Outlier> late_outlier_at(const Trace& trace, size_t index) {
  const TraceEvent& event = trace.events[index];
  const auto latency = number_field(event.text, "latency_ns");
  const auto pid = number_field(event.text, "pid");
  if (!latency || !pid || *latency < 0 || *latency > event.time_ns) return std::nullopt;
  const auto start = last_start(trace, {.pid = *pid}, index);
  if (!start) return std::nullopt;
  const TraceEvent& running = trace.events[*start];
  Outlier outlier{.task = sched_switch(running)->next,
                  .wake_cpu = running.cpu,
                  .run_cpu = running.cpu,
                  .begin_ns = running.time_ns - *latency,
                  .waking_ns = running.time_ns - *latency,
                  .running_ns = running.time_ns,
                  .end_ns = running.time_ns,
                  .expiry_known = true,
                  .marked = true,
                  .to_switch = true,
                  .origin = fmt::format("{}: {}", event.name, event.text),
                  .line = event.line,
                  .running_line = running.line};
  const auto waking = waking_of(trace, outlier.task, *start, outlier.begin_ns - kStampStep);
  if (waking) set_waking(trace, waking->index, outlier);
  return outlier;
}

// Whether the timer's own events give another expiry: then the event is of an older waking.
bool is_stale(const Trace& trace, const Outlier& outlier) {
  const auto waking = std::ranges::find(trace.events, outlier.waking_line, &TraceEvent::line);
  if (waking == trace.events.end()) return false;
  const auto expiry = programmed_expiry(trace, static_cast<size_t>(waking - trace.events.begin()));
  return expiry && std::abs(*expiry - outlier.begin_ns) > kClockError;
}

std::optional<Outlier> late_outlier(const Trace& trace) {
  std::optional<Outlier> last;
  for (size_t i = trace.events.size(); i-- > 0;) {
    if (trace.events[i].name != "rtsweep_late") continue;
    auto outlier = late_outlier_at(trace, i);
    if (!outlier) continue;
    if (!is_stale(trace, *outlier)) return outlier;
    if (!last) last = std::move(outlier);
  }
  return last;
}

// rtsweep's own mark says what cyclictest saw: "... (208 > 100) pid=77 at_ns=13629600000".
std::optional<KnownLatency> known_by_mark(const TraceEvent& mark, int64_t latency_us) {
  const auto pid = number_field(mark.text, "pid");
  const auto at = number_field(mark.text, "at_ns");
  if (!pid || !at) return std::nullopt;
  return KnownLatency{.latency_us = latency_us, .end_ns = *at, .pid = *pid};
}

std::optional<Outlier> cyclictest_outlier(const Trace& trace) {
  for (size_t i = trace.events.size(); i-- > 0;) {
    const auto latency = latency_hit(trace.events[i]);
    if (!latency) continue;
    if (const auto known = known_by_mark(trace.events[i], *latency)) {
      if (auto outlier = known_outlier(trace, *known)) return outlier;
    }
    return marked_outlier(trace, i, *latency);
  }
  return std::nullopt;
}

// "#12 context thread timer_latency 11700 ns"
struct TimerlatLine {
  int64_t number = 0;
  bool thread = false;
  int64_t latency_ns = 0;
};

std::optional<TimerlatLine> timerlat_line(const TraceEvent& event) {
  if (event.name != "timerlat") return std::nullopt;
  std::string_view rest = event.text;
  TimerlatLine line;
  if (!scan::literal(rest, "#")) return std::nullopt;
  line.number = scan::integer(rest).value_or(-1);
  line.thread = rest.find("irq timer_latency") == std::string_view::npos;
  const size_t at = rest.find("timer_latency");
  rest.remove_prefix(at + std::string_view("timer_latency").size());
  scan::blanks(rest);
  const auto latency = scan::natural(rest);
  if (!latency || static_cast<int64_t>(*latency) > event.time_ns) return std::nullopt;
  line.latency_ns = static_cast<int64_t>(*latency);
  return line;
}

Outlier timerlat_outlier_at(const Trace& trace, size_t index, const TimerlatLine& line) {
  const TraceEvent& event = trace.events[index];
  Outlier outlier{.task = {.comm = event.comm, .pid = event.pid},
                  .wake_cpu = event.cpu,
                  .run_cpu = event.cpu,
                  .begin_ns = event.time_ns - line.latency_ns,
                  .end_ns = event.time_ns,
                  .expiry_known = true,
                  .marked = true,
                  .origin = "timerlat: " + event.text,
                  .line = event.line};
  find_priority(trace, outlier.task);
  outlier.waking_ns = outlier.begin_ns;
  outlier.running_ns = outlier.end_ns;
  if (!line.thread) {
    outlier.waking_ns = outlier.end_ns;
    return outlier;
  }
  for (size_t i = index; i-- > 0;) {
    const TraceEvent& before = trace.events[i];
    if (before.cpu != event.cpu || before.time_ns < outlier.begin_ns) continue;
    if (starts(before, outlier.task)) {
      outlier.running_ns = before.time_ns;
      outlier.running_line = before.line;
    }
    const auto irq = timerlat_line(before);
    if (!irq || irq->thread || irq->number != line.number) continue;
    outlier.waking_ns = before.time_ns;
    outlier.waking_line = before.line;
    break;
  }
  return outlier;
}

std::optional<Outlier> timerlat_outlier(const Trace& trace) {
  std::optional<size_t> worst;
  TimerlatLine worst_line;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const auto line = timerlat_line(trace.events[i]);
    if (!line || (worst && line->latency_ns <= worst_line.latency_ns)) continue;
    worst = i;
    worst_line = *line;
  }
  if (!worst) return std::nullopt;
  return timerlat_outlier_at(trace, *worst, worst_line);
}

// A damaged trace must not turn the order round: the segments follow one another.
Outlier in_order(Outlier outlier) {
  outlier.end_ns = std::max(outlier.end_ns, outlier.begin_ns);
  outlier.waking_ns = std::clamp(outlier.waking_ns, outlier.begin_ns, outlier.end_ns);
  outlier.running_ns = std::clamp(outlier.running_ns, outlier.waking_ns, outlier.end_ns);
  return outlier;
}

// Every way from waking to running, the longest first kept apart for real-time threads.
class LongestWait {
 public:
  explicit LongestWait(const Trace& trace) : trace_(trace) {
    for (size_t i = 0; i < trace.events.size(); ++i) add(i);
  }

  std::optional<Outlier> realtime() const { return realtime_; }
  std::optional<Outlier> any() const { return any_; }

 private:
  // Two threads of one name without pids cannot be told apart; the name has to do.
  static std::string key(const TaskRef& task) {
    return task.pid >= 0 ? std::to_string(task.pid) : task.comm;
  }

  void add(size_t index) {
    const TraceEvent& event = trace_.events[index];
    if (const auto wakeup = sched_wakeup(event)) {
      if (wakeup->task.is_idle()) return;
      pending_.try_emplace(key(wakeup->task), index);
    } else if (const auto change = sched_switch(event)) {
      pending_.erase(key(change->prev));
      auto waking = pending_.find(key(change->next));
      if (waking == pending_.end()) waking = pending_.find(change->next.comm);
      if (waking == pending_.end() || change->next.is_idle()) return;
      keep(waking->second, event, change->next);
      pending_.erase(waking);
    }
  }

  void keep(size_t waking, const TraceEvent& running, const TaskRef& task) {
    Outlier outlier{.task = task,
                    .run_cpu = running.cpu,
                    .running_ns = running.time_ns,
                    .end_ns = running.time_ns,
                    .line = running.line,
                    .running_line = running.line};
    outlier.wake_cpu = trace_.events[waking].cpu;
    outlier.waking_ns = trace_.events[waking].time_ns;
    outlier.waking_line = trace_.events[waking].line;
    outlier.begin_ns = outlier.waking_ns;
    if (outlier.end_ns < outlier.begin_ns) return;
    if (const auto expiry = programmed_expiry(trace_, waking);
        expiry && *expiry <= outlier.waking_ns) {
      outlier.begin_ns = *expiry;
      outlier.expiry_known = true;
    }
    auto& longest = task.is_realtime() ? realtime_ : any_;
    if (!longest || outlier.latency_ns() > longest->latency_ns()) longest = outlier;
  }

  const Trace& trace_;
  std::map<std::string, size_t> pending_;  // woken and not yet running -> index
  std::optional<Outlier> realtime_, any_;
};

}  // namespace

std::optional<int64_t> latency_hit(const TraceEvent& event) {
  if (!is_print(event)) return std::nullopt;
  constexpr std::string_view kWords = "hit latency threshold (";
  const size_t at = event.text.find(kWords);
  if (at == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(event.text).substr(at + kWords.size());
  const auto latency = scan::natural(rest);
  if (!latency || static_cast<int64_t>(*latency) > kLongest) return std::nullopt;
  return static_cast<int64_t>(*latency);
}

std::optional<Outlier> find_outlier(const Trace& trace, const ExplainOptions& options) {
  if (options.known) {
    if (auto outlier = known_outlier(trace, *options.known)) return in_order(*outlier);
  }
  if (auto outlier = cyclictest_outlier(trace)) return in_order(*outlier);
  if (auto outlier = late_outlier(trace)) return in_order(*outlier);
  if (auto outlier = timerlat_outlier(trace)) return in_order(*outlier);
  const LongestWait longest(trace);
  auto realtime = longest.realtime();
  auto any = longest.any();
  if (!realtime) return any;
  const int64_t breakpoint = options.breakpoint_ns;
  if (realtime->latency_ns() >= breakpoint || !any || any->latency_ns() < breakpoint) {
    return realtime;
  }
  return any;
}

}  // namespace rtsweep
