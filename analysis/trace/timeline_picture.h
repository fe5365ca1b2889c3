// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/explanation.h"
#include "analysis/trace/trace.h"
#include "runner/base/result.h"

namespace rtsweep {

// What a block of a timeline is; each kind has its own lane of its CPU's row.
enum class BlockKind { kTask, kIdle, kSoftirq, kHardIrq, kIrqsOff, kPreemptOff };

// "task", "hard_irq": as the JSON spells it.
std::string_view block_kind_code(BlockKind kind);

// Something that a CPU did. Times are ns from TimelinePicture::origin_ns on.
struct TimelineBlock {
  BlockKind kind = BlockKind::kTask;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  std::string name;      // "hog-55", "irq 24 eth0", "TIMER"
  std::string priority;  // "RT priority 80", "nice 0"; empty: not known, or no task
  bool victim = false;   // the thread whose latency it is
  // It began before the picture, or the trace; likewise its end.
  bool cut_begin = false;
  bool cut_end = false;
};

struct TimelineRow {
  int cpu = -1;
  std::vector<TimelineBlock> blocks;  // by their begin
};

// A part of the latency, as Explanation has it.
struct TimelineSegment {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  std::string text;  // "hard interrupt: irq 24 eth0"
};

// What the CPUs did around an outlier, for drawing: small enough for a report that holds
// several, and complete where it matters.
struct TimelinePicture {
  std::string headline;
  int64_t origin_ns = 0;  // of the trace clock: where the latency begins; t = 0
  int64_t begin_ns = 0;   // the picture's own, relative to it
  int64_t end_ns = 0;
  int64_t latency_ns = 0;  // from 0 on
  int cpu = -1;            // where the latency was
  std::vector<TimelineRow> rows;
  std::vector<TimelineSegment> segments;
  size_t left_out = 0;  // blocks, so that the others have room
};

struct TimelinePictureOptions {
  size_t most_blocks = 300;  // the shortest ones of other CPUs go first
  size_t most_rows = 16;     // CPUs without a task but idle go first
};

// The picture of one explained outlier. Empty where there is no latency to draw: the
// explanation has no segments (it is not of a wake-up), or nothing of the trace falls in it.
std::optional<TimelinePicture> timeline_picture(const Trace& trace, const Explanation& explanation,
                                                const TimelinePictureOptions& options = {});

// timelines.json: one element for each outlier, null where there is no picture; compact.
std::string timelines_json(const std::vector<std::optional<TimelinePicture>>& pictures);

// One element of it.
std::string timeline_json(const TimelinePicture& picture);

// The same read again. The file may be somebody else's: kBadData when it is not one, and
// at most as many blocks and rows as the options let through.
Result<std::vector<std::optional<TimelinePicture>>> parse_timelines(
    std::string_view json, const TimelinePictureOptions& options = {});

}  // namespace rtsweep
