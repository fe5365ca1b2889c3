// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/trace_header.h"

#include "analysis/trace/scan.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

// The line behind "#" and what frames it: " => ", "| ".
std::string_view content(std::string_view comment) {
  const size_t begin = comment.find_first_not_of("#|=> \t");
  return begin == std::string_view::npos ? std::string_view{} : trim(comment.substr(begin));
}

void read_entries(std::string_view& rest, uint64_t& shown, uint64_t& written) {
  const auto in_buffer = scan::natural(rest);
  if (!in_buffer || !scan::literal(rest, "/")) return;
  const auto ever = scan::natural(rest);
  if (!ever) return;
  shown = *in_buffer;
  written = *ever;
}

// "1130504 us, #51247/49333412, CPU#3 | (M:preempt VP:0, ..."
void read_latency(std::string_view rest, size_t line, Trace& trace) {
  scan::blanks(rest);
  const auto latency = scan::natural(rest);
  if (!latency || *latency > 9'000'000'000'000) return;
  LatencyHeader header{.line = line, .latency_us = static_cast<int64_t>(*latency)};
  if (const size_t hash = rest.find('#'); hash != std::string_view::npos) {
    std::string_view entries = rest.substr(hash + 1);
    read_entries(entries, header.shown, header.written);
  }
  if (const size_t cpu = rest.find("CPU#"); cpu != std::string_view::npos) {
    std::string_view number = rest.substr(cpu + 4);
    const auto value = scan::natural(number);
    if (value && *value < 65'536) header.cpu = static_cast<int>(*value);
  }
  if (const size_t model = rest.find("(M:"); model != std::string_view::npos) {
    std::string_view name = rest.substr(model + 3);
    const std::string_view word = scan::word(name);
    header.preemption = word.substr(0, word.find(')'));
  }
  trace.header = header;
}

int64_t value_behind(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return 0;
  std::string_view number = text.substr(at + key.size());
  return scan::integer(number).value_or(0);
}

// "task: kworker/1:1H-117 (uid:0 nice:-20 policy:0 rt_prio:0)"
void read_task(std::string_view rest, LatencyHeader& header) {
  const std::string_view who = trim(rest.substr(0, rest.find(" (uid:")));
  const size_t dash = who.rfind('-');
  if (dash == std::string_view::npos) return;
  header.task = who.substr(0, dash);
  std::string_view number = who.substr(dash + 1);
  header.pid = scan::integer(number).value_or(-1);
  header.nice = value_behind(rest, "nice:");
  header.policy = value_behind(rest, "policy:");
  header.rt_priority = value_behind(rest, "rt_prio:");
}

}  // namespace

std::string_view tracer_named(std::string_view comment) {
  std::string_view rest = content(comment);
  return scan::literal(rest, "tracer:") ? trim(rest) : std::string_view{};
}

void read_header_line(std::string_view comment, size_t line, Trace& trace) {
  std::string_view rest = content(comment);
  constexpr std::string_view kTitle = " latency trace v";
  if (const size_t title = rest.find(kTitle); title != std::string_view::npos) {
    trace.tracer = rest.substr(0, title);
    if (const size_t on = rest.find(" on "); on != std::string_view::npos) {
      trace.release = trim(rest.substr(on + 4));
    }
  } else if (scan::literal(rest, "latency:")) {
    read_latency(rest, line, trace);
  } else if (trace.header && scan::literal(rest, "task:")) {
    read_task(rest, *trace.header);
  } else if (trace.header && scan::literal(rest, "started at:")) {
    trace.header->started_at = trim(rest);
  } else if (trace.header && scan::literal(rest, "ended at:")) {
    trace.header->ended_at = trim(rest);
  } else if (scan::literal(rest, "entries-in-buffer/entries-written:")) {
    uint64_t shown = 0;
    uint64_t written = 0;
    scan::blanks(rest);
    read_entries(rest, shown, written);
    trace.entries_shown = shown;
    trace.entries_written = written;
  }
}

}  // namespace rtsweep
