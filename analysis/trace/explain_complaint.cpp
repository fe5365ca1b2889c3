// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/trace/cpu_timeline.h"
#include "analysis/trace/explain_parts.h"
#include "analysis/trace/scan.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr size_t kMostTasks = 4;
constexpr size_t kMostPreempted = 8;

// "No QS from CPU 3", "CPU#2 stuck", "on CPU 5"
std::optional<int> named_cpu(std::string_view line) {
  for (const std::string_view key : {"CPU#", "CPU "}) {
    const size_t at = line.find(key);
    if (at == std::string_view::npos) continue;
    std::string_view rest = line.substr(at + key.size());
    if (const auto cpu = scan::natural(rest); cpu && *cpu < 65'536) return static_cast<int>(*cpu);
  }
  return std::nullopt;
}

// Who had the CPU in the part that is left, the longest first.
void add_occupants(const CpuTimeline& timeline, Explanation& result) {
  std::map<std::string, int64_t> times;
  for (const Activity& activity : timeline.activities) {
    if (activity.kind == ActivityKind::kTask) {
      times[task_text(activity.task)] += activity.end_ns - activity.begin_ns;
    }
  }
  std::vector<std::pair<int64_t, std::string>> sorted;
  sorted.reserve(times.size());
  for (const auto& [task, time] : times) sorted.emplace_back(time, task);
  std::ranges::sort(sorted, std::ranges::greater());
  if (sorted.size() > kMostTasks) sorted.resize(kMostTasks);
  std::vector<std::string> parts;
  parts.reserve(sorted.size());
  for (const auto& [time, task] : sorted)
    parts.emplace_back(fmt::format("{} {}", task, us_text(time)));
  result.notes.emplace_back(fmt::format("CPU {} in the {} that are left: {}", timeline.cpu,
                                        us_text(timeline.last_ns - timeline.begin_ns()),
                                        join(parts, ", ")));
}

// Threads that wanted to go on when a CPU was taken from them, and did not run again in the
// trace: the longest wait first.
void add_preempted(const Trace& trace, Explanation& result) {
  struct Preempted {
    TaskRef task;
    const TraceEvent* event = nullptr;
    std::string state;
  };
  std::map<int64_t, Preempted> waiting;
  for (const TraceEvent& event : trace.events) {
    const auto change = sched_switch(event);
    if (!change) continue;
    waiting.erase(change->next.pid);
    if (change->prev_runnable() && !change->prev.is_idle()) {
      waiting[change->prev.pid] = {change->prev, &event, change->prev_state};
    }
  }
  std::vector<Preempted> sorted;
  sorted.reserve(waiting.size());
  for (auto& [pid, one] : waiting) sorted.push_back(std::move(one));
  std::ranges::sort(sorted, {}, [](const Preempted& one) { return one.event->time_ns; });
  for (const Preempted& one : sorted) {
    if (result.evidence.size() > kMostPreempted) break;
    result.evidence.push_back(
        {one.event->line,
         fmt::format("{} was preempted on CPU {} ({}), {} before the end, and did not run again",
                     task_text(one.task), one.event->cpu, one.state,
                     us_text(trace.events.back().time_ns - one.event->time_ns))});
  }
}

void add_losses(const Trace& trace, Explanation& result) {
  std::set<int> cpus;
  const LostEvents* most = nullptr;
  for (const LostEvents& lost : trace.lost) {
    cpus.insert(lost.cpu);
    if (most == nullptr || lost.count.value_or(0) > most->count.value_or(0)) most = &lost;
  }
  if (most == nullptr) return;
  result.notes.emplace_back(
      fmt::format("LOST EVENTS on {} CPUs (CPU {}: {}): the trace is the tail of each; nothing can "
                  "be said about the "
                  "time before the first line of a CPU",
                  cpus.size(), most->cpu, most->count.value_or(0)));
}

}  // namespace

Explanation explain_complaint(const Trace& trace, const TraceRemark& complaint) {
  Explanation result{.source = trace.source, .conclusion = Conclusion::kNotProvable};
  result.subject = trace.from_dump ? "ftrace dump in the kernel log" : "trace beside a kernel log";
  result.headline = fmt::format(
      "The kernel says \"{}\": {}; {}.", complaint.text, complaint_meaning(complaint.text),
      trace.lost.empty() ? "the trace does not prove the cause"
                         : "events were lost, so the cause is not provable");
  result.evidence.push_back({complaint.line, complaint.text});
  add_losses(trace, result);
  if (trace.from_dump) {
    result.notes.emplace_back(
        "each line has two clocks: printk's in front, and the trace's, which counts for latencies");
  }
  if (const auto cpu = named_cpu(complaint.text)) {
    const CpuTimeline timeline = cpu_timeline(trace, *cpu);
    if (timeline.is_empty()) {
      result.notes.emplace_back(fmt::format("no event of CPU {} is in the trace", *cpu));
    } else {
      add_occupants(timeline, result);
    }
  }
  add_preempted(trace, result);
  result.next.emplace_back(
      "a larger buffer (trace_buf_size=, buffer_size_kb), or fewer events, so that the time before "
      "the "
      "complaint is in it");
  return result;
}

}  // namespace rtsweep
