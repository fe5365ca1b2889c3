// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/timeline_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "analysis/trace/cpu_timeline.h"

namespace rtsweep {
namespace {

constexpr auto kKindCodes = std::to_array<std::string_view>(
    {"task", "idle", "softirq", "hard_irq", "irqs_off", "preempt_off"});

constexpr int64_t kLeastMargin = 20'000;  // ns

// The thread that was late is the one that the last segment belongs to: its CPU, and the
// task that runs there when the latency ends.
struct Window {
  int64_t origin = 0, latency = 0, begin = 0, end = 0;
  int cpu = -1;
};

std::optional<Window> window_of(const Explanation& explanation) {
  if (explanation.segments.empty()) return std::nullopt;
  const Segment& first = explanation.segments.front();
  const Segment& last = explanation.segments.back();
  Window window{.origin = first.begin_ns,
                .latency = last.begin_ns + last.length_ns - first.begin_ns,
                .cpu = last.cpu >= 0 ? last.cpu : first.cpu};
  if (window.latency <= 0) return std::nullopt;
  const int64_t margin = std::max(kLeastMargin, window.latency / 4);
  window.begin = window.origin - margin;
  window.end = window.origin + window.latency + margin;
  return window;
}

// Only the events near the window: what a CPU did in it does not depend on the others,
// but for what began before, which the nearest earlier events of each CPU tell.
Trace part_of(const Trace& trace, const Window& window) {
  Trace part{.source = trace.source, .lost = trace.lost};
  const int64_t reach = 4 * (window.end - window.begin);
  for (const TraceEvent& event : trace.events) {
    if (event.time_ns >= window.begin - reach && event.time_ns <= window.end + reach) {
      part.events.push_back(event);
    }
  }
  return part;
}

std::optional<BlockKind> kind_of(const Activity& activity) {
  switch (activity.kind) {
    case ActivityKind::kHardIrq:
      return BlockKind::kHardIrq;
    case ActivityKind::kSoftirq:
      return BlockKind::kSoftirq;
    case ActivityKind::kIrqsOff:
      return BlockKind::kIrqsOff;
    case ActivityKind::kPreemptOff:
      return BlockKind::kPreemptOff;
    case ActivityKind::kTask:
      return activity.task.is_idle() ? BlockKind::kIdle : BlockKind::kTask;
    case ActivityKind::kIdle:
      return std::nullopt;  // the idle task runs then: one block is enough
  }
  return std::nullopt;
}

std::string task_name(const TaskRef& task) {
  if (task.is_idle()) return "idle";
  return task.pid >= 0 ? fmt::format("{}-{}", task.comm, task.pid) : task.comm;
}

std::string name_of(const Activity& activity, BlockKind kind) {
  if (activity.kind == ActivityKind::kTask) return task_name(activity.task);
  if (!activity.who.empty()) return activity.who;
  switch (kind) {
    case BlockKind::kHardIrq:
      return "interrupt";
    case BlockKind::kSoftirq:
      return "softirq";
    case BlockKind::kIrqsOff:
      return "interrupts off";
    default:
      return "preemption off";
  }
}

std::optional<TimelineBlock> block_of(const Activity& activity, const Window& window) {
  const auto kind = kind_of(activity);
  if (!kind || activity.end_ns <= window.begin || activity.begin_ns >= window.end) {
    return std::nullopt;
  }
  TimelineBlock block{.kind = *kind,
                      .begin_ns = std::max(activity.begin_ns, window.begin) - window.origin,
                      .end_ns = std::min(activity.end_ns, window.end) - window.origin,
                      .name = name_of(activity, *kind)};
  if (*kind == BlockKind::kTask && activity.task.priority) {
    block.priority = priority_text(*activity.task.priority);
  }
  block.cut_begin = activity.begin_ns < window.begin || activity.begin_line == 0;
  block.cut_end = activity.end_ns > window.end || activity.end_line == 0;
  return block;
}

TimelineRow row_of(const CpuTimeline& timeline, const Window& window) {
  TimelineRow row{.cpu = timeline.cpu};
  for (const Activity& activity : timeline.activities) {
    if (auto block = block_of(activity, window)) row.blocks.push_back(*std::move(block));
  }
  std::ranges::stable_sort(row.blocks, {}, &TimelineBlock::begin_ns);
  return row;
}

// The thread that has the CPU when the latency ends.
void mark_victim(TimelinePicture& picture) {
  std::string victim;
  for (const TimelineRow& row : picture.rows) {
    if (row.cpu != picture.cpu) continue;
    for (const TimelineBlock& block : row.blocks) {
      const bool then =
          block.begin_ns <= picture.latency_ns && block.end_ns + 1 >= picture.latency_ns;
      if (block.kind == BlockKind::kTask && then) victim = block.name;
    }
  }
  for (TimelineRow& row : picture.rows) {
    for (TimelineBlock& block : row.blocks) {
      block.victim = block.kind == BlockKind::kTask && !victim.empty() && block.name == victim;
    }
  }
}

bool is_busy(const TimelineRow& row) {
  return std::ranges::any_of(
      row.blocks, [](const TimelineBlock& block) { return block.kind != BlockKind::kIdle; });
}

void drop_rows(TimelinePicture& picture, size_t most) {
  std::erase_if(picture.rows, [](const TimelineRow& row) { return row.blocks.empty(); });
  const auto drop = [&](const auto& unwanted) {
    for (size_t i = picture.rows.size(); i-- > 0 && picture.rows.size() > most;) {
      if (picture.rows[i].cpu == picture.cpu || !unwanted(picture.rows[i])) continue;
      picture.left_out += picture.rows[i].blocks.size();
      picture.rows.erase(picture.rows.begin() + static_cast<long>(i));
    }
  };
  drop([](const TimelineRow& row) { return !is_busy(row); });
  drop([](const TimelineRow&) { return true; });
}

// How much a block matters: on the CPU of the latency and in its time above all, then by length.
std::pair<int, int64_t> weight_of(const TimelinePicture& picture, const TimelineRow& row,
                                  const TimelineBlock& block) {
  const bool in_latency = block.begin_ns < picture.latency_ns && block.end_ns > 0;
  return {(row.cpu == picture.cpu ? 2 : 0) + (in_latency ? 1 : 0), block.end_ns - block.begin_ns};
}

void drop_blocks(TimelinePicture& picture, size_t most) {
  std::vector<std::pair<int, int64_t>> weights;
  for (const TimelineRow& row : picture.rows) {
    for (const TimelineBlock& block : row.blocks) weights.push_back(weight_of(picture, row, block));
  }
  if (weights.size() <= most) return;
  std::ranges::sort(weights, std::ranges::greater());
  const auto least = weights[most - 1];
  size_t kept = 0;
  for (TimelineRow& row : picture.rows) {
    std::erase_if(row.blocks, [&](const TimelineBlock& block) {
      const bool drop = weight_of(picture, row, block) < least || kept == most;
      picture.left_out += drop ? 1 : 0;
      kept += drop ? 0 : 1;
      return drop;
    });
  }
}

void add_segments(TimelinePicture& picture, const Explanation& explanation) {
  for (const Segment& segment : explanation.segments) {
    std::string text(segment_name(segment.kind));
    if (!segment.who.empty()) text += ": " + segment.who;
    const int64_t begin = segment.begin_ns - picture.origin_ns;
    picture.segments.push_back({begin, begin + segment.length_ns, std::move(text)});
  }
}

std::set<int> cpus_of(const Trace& trace) {
  std::set<int> cpus;
  for (const TraceEvent& event : trace.events) {
    if (event.cpu >= 0) cpus.insert(event.cpu);
  }
  return cpus;
}

}  // namespace

std::string_view block_kind_code(BlockKind kind) {
  return kKindCodes.at(static_cast<size_t>(kind));
}

std::optional<TimelinePicture> timeline_picture(const Trace& trace, const Explanation& explanation,
                                                const TimelinePictureOptions& options) {
  const auto window = window_of(explanation);
  if (!window) return std::nullopt;
  TimelinePicture picture{.headline = explanation.headline,
                          .origin_ns = window->origin,
                          .begin_ns = window->begin - window->origin,
                          .end_ns = window->end - window->origin,
                          .latency_ns = window->latency,
                          .cpu = window->cpu};
  const Trace part = part_of(trace, *window);
  for (const int cpu : cpus_of(part))
    picture.rows.push_back(row_of(cpu_timeline(part, cpu), *window));
  mark_victim(picture);
  drop_rows(picture, options.most_rows);
  drop_blocks(picture, options.most_blocks);
  if (picture.rows.empty()) return std::nullopt;
  add_segments(picture, explanation);
  return picture;
}

}  // namespace rtsweep
