// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/trace_excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/trace/sched_events.h"

namespace rtsweep {
namespace {

constexpr int64_t kAround = 30'000;  // ns before and after the latency

std::string short_task(const TaskRef& task) {
  std::string text = task.pid >= 0 ? fmt::format("{}-{}", task.comm, task.pid) : task.comm;
  if (task.priority) text += fmt::format(" [{}]", *task.priority);
  return text;
}

// "switch: S ==> cyclictest-77 [9]": the thread that leaves stands in the column before.
std::string switch_text(const SchedSwitch& change) {
  return fmt::format("switch: {} ==> {}", change.prev_state, short_task(change.next));
}

// "waking: cyclictest-77 [9] CPU 0".
std::string wakeup_text(const TraceEvent& event, const SchedWakeup& waking) {
  std::string text = event.name.substr(event.name.find('_') + 1) + ": " + short_task(waking.task);
  if (waking.target_cpu) text += fmt::format(" CPU {}", *waking.target_cpu);
  return text;
}

// What is cut off first where a line is too long: addresses and what other columns say.
std::string text_of(const TraceEvent& event, bool all) {
  if (all) return event.name + ": " + event.text;
  if (is_switch(event)) {
    if (const auto change = sched_switch(event)) return switch_text(*change);
  }
  if (is_wakeup(event)) {
    if (const auto waking = sched_wakeup(event)) return wakeup_text(event, *waking);
  }
  constexpr std::string_view kFunction = "function=";
  const size_t function = event.text.find(kFunction);
  if (event.name.starts_with("hrtimer_") && function != std::string::npos) {
    const std::string rest = event.text.substr(function + kFunction.size());
    return event.name + ": " + rest.substr(0, rest.find(' '));
  }
  return event.name + ": " + event.text;
}

std::string plain(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte >= 0x7f) c = '?';
  }
  return text;
}

std::string clipped(std::string text, size_t width) {
  if (width == 0 || text.size() <= width) return text;
  text.resize(width - 3);
  return text + "...";
}

std::string line_of(const TraceEvent& event, int64_t origin_ns, const ExcerptOptions& options) {
  const std::string task = fmt::format("{}-{}", event.comm, event.pid);
  return clipped(plain(fmt::format("{:>3} {:>8.1f} {:<5} {:<16} {}", event.cpu,
                                   static_cast<double>(event.time_ns - origin_ns) / 1e3,
                                   event.flags, clipped(task, options.width == 0 ? 0 : 16),
                                   text_of(event, options.width == 0))),
                 options.width);
}

std::vector<const TraceEvent*> events_around(const Trace& trace, const Explanation& explanation,
                                             bool all_cpus) {
  std::set<int> cpus;
  for (const Segment& segment : explanation.segments) cpus.insert(segment.cpu);
  const int64_t begin = explanation.segments.front().begin_ns - kAround;
  const Segment& last = explanation.segments.back();
  const int64_t end = last.begin_ns + last.length_ns + kAround;
  std::vector<const TraceEvent*> events;
  const TraceEvent* before = nullptr;  // the last one before a gap says what was going on
  for (const TraceEvent& event : trace.events) {
    const bool wanted = all_cpus || cpus.contains(event.cpu);
    if (wanted && event.time_ns >= begin && event.time_ns <= end) events.push_back(&event);
    if (!cpus.contains(event.cpu) || event.time_ns >= begin) continue;
    if (before == nullptr || event.time_ns > before->time_ns) before = &event;
  }
  if (before != nullptr && !events.empty()) events.push_back(before);
  std::ranges::stable_sort(events, {}, &TraceEvent::time_ns);
  return events;
}

}  // namespace

std::vector<std::string> trace_excerpt(const Trace& trace, const Explanation& explanation,
                                       const ExcerptOptions& options) {
  if (explanation.segments.empty()) return {};
  const auto events = events_around(trace, explanation, options.all_cpus);
  if (events.empty()) return {};
  const int64_t origin = explanation.segments.front().begin_ns;
  std::vector<std::string> lines = {
      fmt::format("{:>3} {:>8} {:<5} {:<16} {}", "CPU", "us", "", "thread", "event")};
  const size_t most = options.most_lines == 0 ? events.size() : options.most_lines;
  const size_t first = std::min(events.size(), most / 2 + most % 2);
  const size_t last = events.size() - std::min(events.size() - first, most / 2);
  for (size_t i = 0; i < events.size(); ++i) {
    if (i == first && i < last) {
      lines.push_back(fmt::format("    [... {} more events]", last - first));
    }
    if (i < first || i >= last) lines.push_back(line_of(*events[i], origin, options));
  }
  return lines;
}

}  // namespace rtsweep
