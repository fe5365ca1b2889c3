// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/attribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/trace/event_line.h"
#include "analysis/trace/scan.h"
#include "analysis/trace/segments.h"
#include "analysis/trace/timer_expiry.h"

namespace rtsweep {
namespace {

constexpr size_t kMostEvidence = 40;
constexpr size_t kMostDoubts = 8;
constexpr int64_t kShortestSilence = 20'000;  // shorter ones happen by themselves

// The first moment after the expiry at which the interrupt that wakes the thread is seen.
int64_t interrupt_begins(const CpuTimeline& timeline, const Outlier& outlier) {
  for (const Activity& activity : timeline.activities) {
    if (activity.kind != ActivityKind::kHardIrq || activity.begin_ns > outlier.waking_ns ||
        activity.end_ns < outlier.waking_ns || activity.guessed) {
      continue;
    }
    if (activity.who.empty() || is_timer_interrupt(activity.who)) {
      return std::max(activity.begin_ns, outlier.begin_ns);
    }
  }
  int64_t begins = outlier.waking_ns;  // by the flags and events of its handler
  for (const TraceEvent* event : timeline.events) {
    if (event->time_ns < outlier.begin_ns || event->time_ns > outlier.waking_ns) continue;
    if (event->in_hardirq() || event->name == "hrtimer_expire_entry") {
      begins = std::min(begins, event->time_ns);
    } else {
      begins = outlier.waking_ns;
    }
  }
  return begins;
}

// The moment at which the thread left for the CPU where it ran in the end.
std::optional<int64_t> migration(const Trace& trace, const Outlier& outlier) {
  for (const TraceEvent& event : trace.events) {
    if (event.name != "sched_migrate_task" || event.time_ns < outlier.waking_ns ||
        event.time_ns > outlier.running_ns) {
      continue;
    }
    if (number_field(event.text, "pid") == outlier.task.pid &&
        number_field(event.text, "dest_cpu") == outlier.run_cpu) {
      return event.time_ns;
    }
  }
  return std::nullopt;
}

// Where it was put when it was woken.
int queued_cpu(const Trace& trace, const Outlier& outlier) {
  int cpu = outlier.run_cpu;
  for (const TraceEvent& event : trace.events) {
    if (event.time_ns < outlier.waking_ns || event.time_ns > outlier.running_ns) continue;
    const auto wakeup = event.name == "sched_wakeup" ? sched_wakeup(event) : std::nullopt;
    if (wakeup && wakeup->task.same_thread(outlier.task) && wakeup->target_cpu) {
      cpu = *wakeup->target_cpu;
    }
  }
  return cpu;
}

// The longest time without events of `cpu` (-1: of any CPU) that touches the outlier.
Gap longest_gap(const Trace& trace, int cpu, int64_t begin_ns, int64_t end_ns) {
  std::vector<const TraceEvent*> events;
  for (const TraceEvent& event : trace.events) {
    if (cpu < 0 || event.cpu == cpu) events.push_back(&event);
  }
  std::ranges::stable_sort(events, {}, &TraceEvent::time_ns);
  Gap longest{.cpu = cpu};
  for (size_t i = 1; i < events.size(); ++i) {
    const int64_t from = std::max(events[i - 1]->time_ns, begin_ns);
    const int64_t to = std::min(events[i]->time_ns, end_ns);
    if (to - from <= longest.length_ns()) continue;
    longest.begin_ns = from;
    longest.end_ns = to;
    longest.before_line = events[i - 1]->line;
    longest.after_line = events[i]->line;
  }
  return longest;
}

// Events come in bursts, on all CPUs at once where timers are aligned: a gap is a surprise only
// where gaps like it are rare.
double quiet_share(const Trace& trace, int cpu, const Gap& gap, int64_t outside) {
  std::vector<int64_t> times;
  for (const TraceEvent& event : trace.events) {
    if (event.cpu != cpu) times.push_back(event.time_ns);
  }
  std::ranges::sort(times);
  int64_t quiet = 0;
  for (size_t i = 1; i < times.size(); ++i) {
    const int64_t length = times[i] - times[i - 1];
    const bool same = times[i - 1] <= gap.begin_ns && times[i] >= gap.end_ns;
    if (!same && length * 2 >= gap.length_ns()) quiet += length;
  }
  return static_cast<double>(quiet) / static_cast<double>(outside);
}

void count_others(const Trace& trace, int cpu, Gap& gap) {
  const auto [first, last] = std::ranges::minmax_element(trace.events, {}, &TraceEvent::time_ns);
  size_t all = 0;
  for (const TraceEvent& event : trace.events) {
    if (event.cpu == cpu) continue;
    ++all;
    if (event.time_ns > gap.begin_ns && event.time_ns < gap.end_ns) ++gap.other_events;
  }
  const int64_t outside = last->time_ns - first->time_ns - gap.length_ns();
  if (outside > 0) {
    gap.expected = static_cast<double>(all - gap.other_events) *
                   static_cast<double>(gap.length_ns()) / static_cast<double>(outside);
    gap.quiet_share = quiet_share(trace, cpu, gap, outside);
  }
}

std::optional<bool> irqs_off_in(const CpuTimeline& timeline, const Gap& gap) {
  for (const Activity& activity : timeline.activities) {
    if ((activity.kind == ActivityKind::kIrqsOff || activity.kind == ActivityKind::kHardIrq) &&
        activity.covers(gap.begin_ns, gap.end_ns)) {
      return true;
    }
  }
  const bool traced = std::ranges::any_of(timeline.events, [](const TraceEvent* event) {
    return event->name == "irq_disable" || event->name == "irq_enable";
  });
  if (traced) return false;
  return std::nullopt;
}

// Whether the first timer of another CPU after the gap should have expired in it.
bool holds_timers(const Trace& trace, int cpu, const Gap& gap) {
  std::set<int> seen;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.cpu == cpu || event.name != "hrtimer_expire_entry" || event.time_ns < gap.end_ns ||
        !seen.insert(event.cpu).second) {
      continue;
    }
    const auto expiry = expiry_of(trace, i);
    if (expiry && *expiry > gap.begin_ns && *expiry + kShortestSilence < gap.end_ns) return true;
  }
  return false;
}

std::optional<Gap> silent_machine(const Trace& trace, const Outlier& outlier) {
  Gap gap = longest_gap(trace, -1, outlier.begin_ns, outlier.end_ns);
  if (gap.length_ns() < kShortestSilence) return std::nullopt;
  count_others(trace, outlier.run_cpu, gap);
  if (gap.other_events == 0) gap.timers_held = holds_timers(trace, outlier.run_cpu, gap);
  if (!gap.machine_silent()) return std::nullopt;
  return gap;
}

// What the stacks of the timer's interrupt and of the last sched_switch say.
StackClues stack_clues(const Trace& trace, const Outlier& outlier, int64_t interrupt) {
  StackClues clues{.alone = true};
  for (const TraceEvent& event : trace.events) {
    const bool late = event.time_ns > outlier.begin_ns && event.time_ns < interrupt;
    if (event.cpu != outlier.wake_cpu && late) clues.alone = false;
    const bool handler = event.time_ns >= interrupt && event.time_ns <= outlier.waking_ns;
    if (event.cpu == outlier.wake_cpu && handler &&
        clues.late.where == Interrupted::Where::kUnknown) {
      clues.late = interrupted_code(event.stack);
    }
    if (event.line == outlier.running_line && outlier.running_line > 0) {
      const Interrupted at_exit = interrupted_code(event.stack);
      clues.switching = at_exit.where == Interrupted::Where::kUnknown ? scheduling_code(event.stack)
                                                                      : at_exit.functions;
    }
  }
  return clues;
}

void add_span(Attribution& result, const CpuTimeline& timeline, const PhaseSpan& span,
              const TaskRef& task, const std::optional<Gap>& silent, const StackClues& clues) {
  if (span.end_ns <= span.begin_ns) return;
  for (Segment& segment : segments_of(timeline, span, task, silent, clues)) {
    result.segments.push_back(std::move(segment));
  }
}

// Whether the hole at a line of lost events reaches into the outlier's time.
bool is_hole(const CpuTimeline& timeline, const LostEvents& lost, const Outlier& outlier) {
  if (lost.cpu != timeline.cpu) return false;
  const auto after = std::ranges::lower_bound(timeline.events, lost.line, {}, &TraceEvent::line);
  const bool before =
      after != timeline.events.begin() && (*std::prev(after))->time_ns >= outlier.end_ns;
  return !before && (after == timeline.events.end() || (*after)->time_ns > outlier.begin_ns);
}

void add_loss(const Trace& trace, const CpuTimeline& timeline, const Outlier& outlier,
              Attribution& result) {
  const LostEvents* first = nullptr;
  uint64_t count = 0;
  size_t holes = 0;
  for (const LostEvents& lost : trace.lost) {
    if (!is_hole(timeline, lost, outlier)) continue;
    if (first == nullptr) first = &lost;
    count += lost.count.value_or(0);
    ++holes;
  }
  if (first == nullptr) return;
  result.lost = true;
  result.doubts.emplace_back(fmt::format(
      "line {}: events of CPU {} were lost in that time{}{}", first->line, first->cpu,
      count > 0 ? fmt::format(" ({})", count) : "", holes > 1 ? ", in several places" : ""));
}

// Lines between the waking and the outlier's end that contradict or cannot be read.
void add_remarks(const std::vector<TraceRemark>& remarks, std::string_view why,
                 const Outlier& outlier, Attribution& result) {
  for (const TraceRemark& remark : remarks) {
    if (remark.line < outlier.waking_line || remark.line > outlier.line) continue;
    result.lost = true;
    if (result.doubts.size() >= kMostDoubts) return;
    result.doubts.emplace_back(
        fmt::format("line {}: {}", remark.line, fmt::format(fmt::runtime(why), remark.text)));
  }
}

void add_doubts(const Trace& trace, const CpuTimeline& timeline, const Outlier& outlier,
                Attribution& result) {
  add_loss(trace, timeline, outlier, result);
  add_remarks(trace.damaged, "an event that cannot be read", outlier, result);
  add_remarks(timeline.contradictions, "{}: events are missing", outlier, result);
  if (timeline.begin_ns() > outlier.begin_ns) {
    result.lost = true;
    result.doubts.emplace_back(
        fmt::format("the trace of CPU {} begins {:.1f} us after the latency did", timeline.cpu,
                    static_cast<double>(timeline.begin_ns() - outlier.begin_ns) / 1e3));
  }
}

// A long timeline is shown by its ends and its important events.
void add_evidence(const CpuTimeline& timeline, const Outlier& outlier, Attribution& result) {
  std::vector<const TraceEvent*> events;
  for (const TraceEvent* event : timeline.events) {
    if (event->time_ns >= outlier.begin_ns && event->time_ns <= outlier.end_ns) {
      events.push_back(event);
    }
  }
  const TraceEvent* before = nullptr;
  for (const TraceEvent* event : timeline.events) {
    if (event->time_ns < outlier.begin_ns) before = event;
  }
  if (before != nullptr) events.insert(events.begin(), before);
  for (size_t i = 0; i < events.size(); ++i) {
    const bool shown = i < kMostEvidence / 2 || i + kMostEvidence / 2 >= events.size();
    if (i == kMostEvidence / 2 && !shown) {
      result.evidence.push_back({0, fmt::format("({} more)", events.size() - kMostEvidence)});
    }
    if (!shown) continue;
    result.evidence.push_back({events[i]->line, event_text(*events[i])});
    for (const std::string& function : events[i]->stack) {
      result.evidence.push_back({0, "=> " + function});
    }
  }
}

// From the waking to running, on the CPU where it was put first and where it ended up.
void wait_for_cpu(const Trace& trace, const CpuTimeline& running, const Outlier& outlier,
                  const std::optional<Gap>& silent, const StackClues& clues, Attribution& result) {
  const int queued = queued_cpu(trace, outlier);
  if (queued == outlier.run_cpu) {
    add_span(result, running, {Phase::kCpu, outlier.waking_ns, outlier.running_ns}, outlier.task,
             silent, clues);
    return;
  }
  const int64_t left = migration(trace, outlier).value_or(outlier.running_ns);
  add_span(result, cpu_timeline(trace, queued), {Phase::kCpu, outlier.waking_ns, left},
           outlier.task, silent, clues);
  result.segments.push_back({.kind = SegmentKind::kMigration,
                             .begin_ns = left,
                             .length_ns = outlier.running_ns - left,
                             .cpu = outlier.run_cpu,
                             .who = fmt::format("CPU {} to CPU {}", queued, outlier.run_cpu)});
}

}  // namespace

Attribution attribute(const Trace& trace, const Outlier& outlier) {
  Attribution result;
  const CpuTimeline running = cpu_timeline(trace, outlier.run_cpu);
  if (running.is_empty()) return result;
  const bool elsewhere = outlier.wake_cpu != outlier.run_cpu;
  const CpuTimeline woken = elsewhere ? cpu_timeline(trace, outlier.wake_cpu) : running;
  const auto silent = silent_machine(trace, outlier);
  const int64_t interrupt =
      outlier.expiry_known ? interrupt_begins(woken, outlier) : outlier.waking_ns;
  const StackClues clues = stack_clues(trace, outlier, interrupt);
  add_span(result, woken, {Phase::kInterrupt, outlier.begin_ns, interrupt}, outlier.task, silent,
           clues);
  add_span(result, woken, {Phase::kWaking, interrupt, outlier.waking_ns}, outlier.task, silent,
           clues);

  wait_for_cpu(trace, running, outlier, silent, clues, result);
  add_span(result, running, {Phase::kAfter, outlier.running_ns, outlier.end_ns}, outlier.task,
           silent, clues);
  result.segments = merge_segments(std::move(result.segments));

  Gap gap = longest_gap(trace, outlier.run_cpu, outlier.begin_ns, outlier.end_ns);
  if (gap.length_ns() > 0) {
    count_others(trace, outlier.run_cpu, gap);
    gap.irqs_off = irqs_off_in(running, gap);
    result.gap = gap;
  }
  add_doubts(trace, running, outlier, result);
  add_evidence(running, outlier, result);
  return result;
}

}  // namespace rtsweep
