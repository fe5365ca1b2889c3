// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "analysis/report/pictures.h"
#include "analysis/report/plain_text.h"
#include "analysis/report/svg.h"

namespace rtsweep {
namespace {

constexpr double kWidth = 1000, kLeft = 66, kRight = 20;
constexpr double kLane = 17, kTaskLane = 24, kRowGap = 10, kSegments = 26;
constexpr std::string_view kInk = "#1a1f26", kSoft = "#5b6572", kGrid = "#e3e7ec";
constexpr std::string_view kLatency = "#b8360b", kLatencyGround = "#fdeee6";

// The colour of a kind and what the legend calls it.
struct Look {
  std::string_view fill, ink, name;
};

Look look_of(const TimelineBlock& block) {
  if (block.victim) return {"#0072b2", "#ffffff", "the late thread"};
  switch (block.kind) {
    case BlockKind::kTask:
      return {"#a6cee3", kInk, "another task"};
    case BlockKind::kIdle:
      return {"#f0f2f4", kSoft, "idle"};
    case BlockKind::kSoftirq:
      return {"#7fd0b4", kInk, "softirq"};
    case BlockKind::kHardIrq:
      return {"#e69f00", kInk, "hard interrupt"};
    case BlockKind::kIrqsOff:
      return {"#d55e00", "#ffffff", "interrupts off"};
    case BlockKind::kPreemptOff:
      return {"#cc79a7", kInk, "preemption off"};
  }
  return {"#ffffff", kInk, ""};
}

// From the top of a row: what interrupts stands above what is interrupted.
int lane_of(BlockKind kind) {
  switch (kind) {
    case BlockKind::kIrqsOff:
    case BlockKind::kPreemptOff:
      return 0;
    case BlockKind::kHardIrq:
      return 1;
    case BlockKind::kSoftirq:
      return 2;
    default:
      return 3;
  }
}

std::string us(int64_t ns) { return fmt::format("{:.1f} us", static_cast<double>(ns) / 1e3); }

// "hog-55, RT priority 90, 500.0 us".
std::string title_of(const TimelineBlock& block) {
  std::string title = block.name;
  if (!block.priority.empty()) title += ", " + block.priority;
  title += ", " + us(block.end_ns - block.begin_ns);
  return title + (block.cut_begin || block.cut_end ? " and more" : "");
}

class TimelinePlot {
 public:
  TimelinePlot(const TimelinePicture& picture, std::string_view title)
      : picture_(picture),
        title_(title),
        headline_(wrap(printable(picture.headline), kHeadlineColumns, 0, "")),
        top_(62 + 17 * static_cast<double>(std::max<size_t>(headline_.size(), 1))),
        drawing_(kWidth, height()) {}

  std::string draw() && {
    head();
    const double bottom = rows_bottom();
    drawing_.rect(x(0), top_ - 6, x(picture_.latency_ns) - x(0), bottom - top_ + 6, kLatencyGround);
    axis(bottom);
    double y = top_;
    for (const TimelineRow& row : picture_.rows) {
      draw_row(row, y);
      y += row_height(row) + kRowGap;
    }
    latency(bottom);
    segments(bottom);
    legend();
    return std::move(drawing_).take();
  }

 private:
  static constexpr size_t kHeadlineColumns = 128;

  // Only lanes that something is in take room.
  static std::array<bool, 4> lanes_of(const TimelineRow& row) {
    std::array<bool, 4> used = {false, false, false, true};
    for (const TimelineBlock& block : row.blocks) {
      used.at(static_cast<size_t>(lane_of(block.kind))) = true;
    }
    return used;
  }
  static double row_height(const TimelineRow& row) {
    const auto used = lanes_of(row);
    return kTaskLane + kLane * static_cast<double>(std::count(used.begin(), used.end() - 1, true));
  }
  double rows_bottom() const {
    double y = top_;
    for (const TimelineRow& row : picture_.rows) y += row_height(row) + kRowGap;
    return y;
  }
  double height() const { return rows_bottom() + 40 + kSegments + 30 + 26; }

  double x(int64_t ns) const {
    const double part = static_cast<double>(ns - picture_.begin_ns) /
                        static_cast<double>(picture_.end_ns - picture_.begin_ns);
    return kLeft + std::clamp(part, 0.0, 1.0) * (kWidth - kLeft - kRight);
  }

  void head() {
    drawing_.text(12, 26, SvgDrawing::fitting(title_, kWidth - 24, 16), {.size = 16, .bold = true});
    double y = 46;
    for (const std::string& line : headline_) {
      drawing_.text(12, y, line, {.size = 12, .colour = kSoft});
      y += 17;
    }
  }

  void axis(double bottom) {
    const double range = static_cast<double>(picture_.end_ns - picture_.begin_ns) / 1e3;
    const double step = SvgDrawing::tick_step(range, 14);
    const auto first =
        static_cast<int64_t>(std::ceil(static_cast<double>(picture_.begin_ns) / 1e3 / step));
    for (int64_t i = first;; ++i) {
      const double at = static_cast<double>(i) * step;
      if (at * 1e3 > static_cast<double>(picture_.end_ns)) break;
      const double place = x(static_cast<int64_t>(at * 1e3));
      drawing_.line(place, top_ - 6, place, bottom, kGrid);
      drawing_.text(place, bottom + 15, fmt::format("{:g}", at),
                    {.size = 11, .anchor = "middle", .colour = kSoft});
    }
    drawing_.text(kWidth - kRight, bottom + 31, "us after the expiry",
                  {.size = 11, .anchor = "end"});
  }

  void draw_row(const TimelineRow& row, double y) {
    const auto used = lanes_of(row);
    std::array<double, 4> lane_y{};
    double next = y;
    for (size_t lane = 0; lane < 4; ++lane) {
      lane_y.at(lane) = next;
      if (used.at(lane)) next += lane == 3 ? kTaskLane : kLane;
    }
    drawing_.text(12, lane_y[3] + 16, fmt::format("CPU {}", row.cpu),
                  {.size = 12, .bold = row.cpu == picture_.cpu});
    for (const TimelineBlock& block : row.blocks) {
      const auto lane = static_cast<size_t>(lane_of(block.kind));
      draw_block(block, lane_y.at(lane), lane == 3 ? kTaskLane : kLane);
    }
  }

  // A block is never thinner than a hair: a short interrupt must be seen.
  void draw_block(const TimelineBlock& block, double y, double lane) {
    const Look look = look_of(block);
    const double left = x(block.begin_ns);
    const double width = std::max(x(block.end_ns) - left, 0.8);
    drawing_.rect(left, y + 1, width, lane - 3, look.fill, width > 3 ? "#ffffff" : "",
                  title_of(block));
    const std::string label = SvgDrawing::fitting(block.name, width - 8, 11);
    if (!label.empty())
      drawing_.text(left + 4, y + lane / 2 + 3, label, {.size = 11, .colour = look.ink});
  }

  void latency(double bottom) {
    for (const int64_t at : {int64_t{0}, picture_.latency_ns}) {
      drawing_.line(x(at), top_ - 14, x(at), bottom, kLatency, 1.5);
    }
    const std::string words = fmt::format("latency {}", us(picture_.latency_ns));
    drawing_.text((x(0) + x(picture_.latency_ns)) / 2, top_ - 11, words,
                  {.size = 12, .anchor = "middle", .colour = kLatency, .bold = true});
  }

  // What the latency was made of, in its own bar.
  void segments(double bottom) {
    const double y = bottom + 38;
    drawing_.text(12, y + 16, "made of", {.size = 12, .colour = kSoft});
    for (const TimelineSegment& segment : picture_.segments) {
      const double left = x(segment.begin_ns);
      const double width = std::max(x(segment.end_ns) - left, 0.8);
      drawing_.rect(left, y, width, kSegments - 4, kLatencyGround, kLatency,
                    segment.text + ", " + us(segment.end_ns - segment.begin_ns));
      const std::string words = segment.text + " " + us(segment.end_ns - segment.begin_ns);
      const std::string label = SvgDrawing::fitting(words, width - 8, 11);
      if (!label.empty()) drawing_.text(left + 4, y + 15, label, {.size = 11});
    }
  }

  void legend() {
    const double y = height() - 34;
    double left = kLeft;
    constexpr auto kKinds = std::to_array<BlockKind>({BlockKind::kTask, BlockKind::kIdle,
                                                      BlockKind::kSoftirq, BlockKind::kHardIrq,
                                                      BlockKind::kIrqsOff, BlockKind::kPreemptOff});
    std::vector<TimelineBlock> shown = {{.kind = BlockKind::kTask, .victim = true}};
    for (const BlockKind kind : kKinds) shown.push_back({.kind = kind});
    for (const TimelineBlock& block : shown) {
      const Look look = look_of(block);
      drawing_.rect(left, y, 14, 12, look.fill, kSoft);
      drawing_.text(left + 20, y + 10, look.name, {.size = 11, .colour = kSoft});
      left += 38 + SvgDrawing::width_of(look.name, 11);
    }
    if (picture_.left_out == 0) return;
    drawing_.text(kLeft, y + 26, fmt::format("{} short blocks are left out", picture_.left_out),
                  {.size = 11, .colour = kSoft});
  }

  const TimelinePicture& picture_;
  std::string_view title_;
  std::vector<std::string> headline_;
  double top_;
  SvgDrawing drawing_;
};

}  // namespace

std::string timeline_svg(const TimelinePicture& picture, std::string_view title) {
  return TimelinePlot(picture, title).draw();
}

}  // namespace rtsweep
