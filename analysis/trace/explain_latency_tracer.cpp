// SPDX-License-Identifier: GPL-2.0-or-later

// The kernel's latency tracers measured the latency themselves: their header is the
// finding, and the lines below it show what happened in that time as far as they go.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/trace/event_line.h"
#include "analysis/trace/explain_parts.h"
#include "analysis/trace/segments.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr size_t kMostEvidence = 16;
constexpr size_t kFewFunctions = 10;   // more: the function tracer was on
constexpr int64_t kFirstLine = 5'000;  // the first line may be this late: rounding, tracer

bool is_wakeup_tracer(const Trace& trace) { return trace.tracer.starts_with("wakeup"); }

std::string what_was_off(const std::string& tracer) {
  if (tracer == "irqsoff") return "Interrupts were";
  if (tracer == "preemptoff") return "Preemption was";
  return "Interrupts or preemption were";
}

SegmentKind off_kind(const Trace& trace) {
  return trace.tracer == "irqsoff" ? SegmentKind::kIrqsOff : SegmentKind::kPreemptOff;
}

std::string task_of(const LatencyHeader& header) {
  TaskRef task{.comm = header.task, .pid = header.pid};
  if (header.rt_priority > 0) {
    task.priority = static_cast<int>(99 - std::clamp<int64_t>(header.rt_priority, 1, 99));
  } else if (!task.is_idle()) {
    task.priority = static_cast<int>(120 + std::clamp<int64_t>(header.nice, -20, 19));
  }
  return task_text(task);
}

// What the time behind an event was spent on, by the event's columns. On the way to running
// a column that has changed at the next event tells nothing of the time in between.
Segment piece_after(const Trace& trace, const TraceEvent& event, const TraceEvent& next) {
  Segment piece{.kind = off_kind(trace), .cpu = event.cpu, .line = event.line};
  piece.who = event.pid == 0 ? "the idle task" : fmt::format("{}-{}", event.comm, event.pid);
  const bool strict = is_wakeup_tracer(trace);
  if (event.in_hardirq() && (!strict || next.in_hardirq())) {
    piece.kind = SegmentKind::kHardIrq;
    piece.who.clear();
  } else if (event.in_softirq() && (!strict || next.in_softirq())) {
    piece.kind = SegmentKind::kSoftirq;
  } else if (strict) {
    piece.kind = event.pid == 0 ? SegmentKind::kIdleExit : SegmentKind::kPreemptOff;
    if (event.pid == 0) piece.who.clear();
  }
  return piece;
}

// From 0 to the header's value: the clock of the lines goes on after it.
std::vector<Segment> header_segments(const Trace& trace) {
  const int64_t latency = trace.header->latency_us * 1'000;
  std::vector<Segment> segments;
  int64_t covered = 0;  // lines of several CPUs may be out of order by a little
  const auto add_until = [&](int64_t end, Segment piece) {
    end = std::min(end, latency);
    if (end <= covered) return;
    piece.begin_ns = covered;
    piece.length_ns = end - covered;
    covered = end;
    segments.push_back(std::move(piece));
  };
  const auto& events = trace.events;
  const Segment hidden{.kind = SegmentKind::kNotVisible, .cpu = trace.header->cpu};
  if (events.empty()) {
    add_until(latency, hidden);
    return segments;
  }
  const int64_t first = events.front().time_ns;
  add_until(first,
            first <= kFirstLine ? piece_after(trace, events.front(), events.front()) : hidden);
  for (size_t i = 1; i < events.size(); ++i) {
    const bool cut = is_cut_between(trace, events[i - 1].line, events[i].line);
    add_until(events[i].time_ns, cut ? hidden : piece_after(trace, events[i - 1], events[i]));
  }
  add_until(latency, hidden);
  return merge_segments(std::move(segments));
}

int64_t hidden_ns(const Explanation& explanation) {
  int64_t sum = 0;
  for (const Segment& segment : explanation.segments) {
    if (segment.kind == SegmentKind::kNotVisible) sum += segment.length_ns;
  }
  return sum;
}

size_t functions_in(const Trace& trace) {
  return static_cast<size_t>(std::ranges::count(trace.events, "function", &TraceEvent::name));
}

// The longest time between two lines, where it is much of the whole.
void add_longest_step(const Trace& trace, Explanation& result) {
  const auto& events = trace.events;
  const int64_t latency = trace.header->latency_us * 1'000;
  int64_t longest = 0;
  const TraceEvent* before = nullptr;
  for (size_t i = 1; i < events.size(); ++i) {
    const int64_t step = std::min(events[i].time_ns, latency) - events[i - 1].time_ns;
    if (step <= longest || is_cut_between(trace, events[i - 1].line, events[i].line)) continue;
    longest = step;
    before = &events[i - 1];
  }
  if (before == nullptr || longest * 4 < latency) return;
  result.notes.emplace_back(fmt::format("largest gap between lines: {} after line {}, {}",
                                        us_text(longest), before->line, before->text));
}

void add_size_notes(const Trace& trace, Explanation& result) {
  const LatencyHeader& header = *trace.header;
  if (trace.last_ns > header.latency_us * 1'000) {
    result.notes.emplace_back(fmt::format(
        "the header's {} count, not the last line's {}: the clock went on after the maximum was "
        "taken",
        us_text(header.latency_us * 1'000), us_text(trace.last_ns)));
  }
  if (header.written > header.shown) {
    result.notes.emplace_back(fmt::format(
        "the buffer held the last {} of {} entries: {} were overwritten, the begin is not "
        "visible",
        header.shown, header.written, header.written - header.shown));
  }
  if (header.shown > trace.entries) {
    result.notes.emplace_back(fmt::format("the text shows {} of the {} entries of the buffer",
                                          trace.entries, header.shown));
  }
}

void add_cost_note(const Trace& trace, Explanation& result) {
  const size_t functions = functions_in(trace);
  if (functions <= kFewFunctions) return;
  std::vector<int64_t> steps;
  for (size_t i = 1; i < trace.events.size(); ++i) {
    steps.push_back(trace.events[i].time_ns - trace.events[i - 1].time_ns);
  }
  const int64_t sum = trace.events.back().time_ns - trace.events.front().time_ns;
  std::ranges::nth_element(steps, steps.begin() + static_cast<ptrdiff_t>(steps.size() / 2));
  const double mean =
      static_cast<double>(std::min(sum / static_cast<int64_t>(steps.size()),
                                   std::max<int64_t>(steps[steps.size() / 2] * 2, 1'000))) /
      1e3;
  result.notes.emplace_back(
      fmt::format("the function tracer was on, about {:.1f} us a line: without it the latency is "
                  "shorter; do not "
                  "quote it as the kernel's",
                  mean));
}

void add_kernel_note(const Trace& trace, Explanation& result) {
  const std::string& model = trace.header->preemption;
  if (!model.empty() && model != "preempt_rt" && model.find("rt") == std::string::npos) {
    result.notes.emplace_back(fmt::format("preemption model \"{}\": not PREEMPT_RT", model));
  }
}

// N in every line that is there: somebody waited for the CPU all the time.
void add_need_resched_note(const Trace& trace, Explanation& result) {
  if (trace.events.size() < 3 || is_wakeup_tracer(trace)) return;
  const auto set =
      static_cast<size_t>(std::ranges::count_if(trace.events, &TraceEvent::need_resched));
  if (set * 10 < trace.events.size() * 9) return;
  result.notes.emplace_back(
      "need-resched was set in nearly every line: a thread waited for the CPU");
}

void add_evidence(const Trace& trace, Explanation& result) {
  const auto& events = trace.events;
  for (size_t i = 0; i < events.size(); ++i) {
    const bool shown = i < kMostEvidence / 2 || i + kMostEvidence / 2 >= events.size();
    if (i == kMostEvidence / 2 && !shown) {
      result.evidence.push_back({0, fmt::format("({} more)", events.size() - kMostEvidence)});
    }
    if (!shown) continue;
    result.evidence.push_back({events[i].line, event_text(events[i])});
    for (const std::string& function : events[i].stack) {
      result.evidence.push_back({0, "=> " + function});
    }
  }
}

// The kind that has most of the visible time.
void set_cause(const Trace& trace, Explanation& result) {
  std::map<SegmentKind, int64_t> sums;
  for (const Segment& segment : result.segments) {
    if (segment.kind != SegmentKind::kNotVisible) sums[segment.kind] += segment.length_ns;
  }
  const auto most = std::ranges::max_element(sums, {}, [](const auto& one) { return one.second; });
  result.cause = most == sums.end() ? off_kind(trace) : most->first;
}

std::string off_headline(const Trace& trace, const Explanation& result, const std::string& work) {
  const LatencyHeader& header = *trace.header;
  std::string where = task_of(header);
  if (result.cause == SegmentKind::kSoftirq) where = "a softirq of " + where;
  std::string text = fmt::format("{} off for {} on CPU {} in {}", what_was_off(trace.tracer),
                                 us_text(header.latency_us * 1'000), header.cpu, where);
  if (!header.started_at.empty()) {
    text += header.started_at == header.ended_at
                ? fmt::format(", in {}()", header.started_at)
                : fmt::format(", from {}() to {}()", header.started_at, header.ended_at);
  }
  return text + (work.empty() ? "." : ": " + work + ".");
}

std::string wakeup_headline(const Trace& trace) {
  const LatencyHeader& header = *trace.header;
  std::string text = fmt::format("{} waited {} from waking to running on CPU {}", task_of(header),
                                 us_text(header.latency_us * 1'000), header.cpu);
  if (!trace.events.empty() && trace.events.front().pid == 0) text += ", which was idle";
  return text + ".";
}

}  // namespace

Explanation explain_latency_tracer(const Trace& trace) {
  const LatencyHeader& header = *trace.header;
  const bool wakeup = is_wakeup_tracer(trace);
  Explanation result{.source = trace.source, .conclusion = Conclusion::kExplained};
  result.subject = fmt::format("{} trace of CPU {}{}", trace.tracer, header.cpu,
                               trace.release.empty() ? "" : ", Linux " + trace.release);
  result.latency_ns = header.latency_us * 1'000;
  result.latency_of =
      wakeup ? "from waking to running, by the header" : "by the header of the trace";
  result.segments = header_segments(trace);
  set_cause(trace, result);
  const std::string work = work_of_functions(trace);
  result.cause_who = wakeup         ? task_of(header)
                     : work.empty() ? header.started_at
                                    : fmt::format("{} in {}", work, header.started_at);
  result.headline = wakeup ? wakeup_headline(trace) : off_headline(trace, result, work);
  add_size_notes(trace, result);
  add_longest_step(trace, result);
  add_cost_note(trace, result);
  add_need_resched_note(trace, result);
  add_kernel_note(trace, result);
  if (wakeup && header.rt_priority == 0) {
    result.notes.emplace_back("not a real-time thread: it may wait as long as the scheduler likes");
  }
  add_evidence(trace, result);
  const bool overwritten = header.written > header.shown || !trace.lost.empty();
  const int64_t hidden = hidden_ns(result);
  if (overwritten && hidden * 20 > *result.latency_ns) {
    result.conclusion = Conclusion::kNotProvable;
    result.notes.insert(
        result.notes.begin(),
        fmt::format("{} of {} are not in the trace: what was done then is not provable",
                    us_text(hidden), us_text(*result.latency_ns)));
    result.next.emplace_back(
        "switch the function tracer off (options/function-trace 0), or enlarge the buffer "
        "(buffer_size_kb)");
  }
  return result;
}

}  // namespace rtsweep
