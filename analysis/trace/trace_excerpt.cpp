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

std::string text_of(const TraceEvent& event) {
  if (is_switch(event)) {
    if (const auto change = sched_switch(event)) {
      return fmt::format("{} {} ==> {}", short_task(change->prev), change->prev_state,
                         short_task(change->next));
    }
  }
  if (is_wakeup(event)) {
    if (const auto waking = sched_wakeup(event)) {
      std::string text = short_task(waking->task);
      if (waking->target_cpu) text += fmt::format(" CPU {}", *waking->target_cpu);
      return text;
    }
  }
  return event.text;
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
  return clipped(
      plain(fmt::format("{:>3} {:>10.1f} {:<4} {:<16} {}: {}", event.cpu,
                        static_cast<double>(event.time_ns - origin_ns) / 1e3, event.flags,
                        clipped(task, options.width == 0 ? 0 : 16), event.name, text_of(event))),
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
  for (const TraceEvent& event : trace.events) {
    const bool wanted = all_cpus || cpus.contains(event.cpu);
    if (wanted && event.time_ns >= begin && event.time_ns <= end) events.push_back(&event);
  }
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
      fmt::format("{:>3} {:>10} {:<4} {:<16} {}", "CPU", "us", "", "thread", "event")};
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
