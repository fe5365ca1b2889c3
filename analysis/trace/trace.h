// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rtsweep {

// One line of a trace. What the line does not say is empty or -1, never 0.
struct TraceEvent {
  size_t line = 0;      // of the file, from 1
  std::string comm;     // as printed; latency formats cut it to 8 characters
  int64_t pid = -1;     // the thread's
  int cpu = -1;         // where it happened
  int64_t time_ns = 0;  // the trace clock's, not printk's
  std::string flags;    // "dNh2." as printed; empty: the trace has no such columns
  // The event's, without its system: "sched_switch". "function" for "child <-parent",
  // "wakeup" and "context_switch" for the wakeup tracers' own lines, "timerlat" and
  // "hwlat" for these tracers' numbered lines.
  std::string name;
  std::string text;                // what stands behind the name
  std::vector<std::string> stack;  // innermost first: a <stack trace> below it

  // The columns, as trace_print_lat_fmt() of kernel/trace/trace_output.c writes them. An RT
  // patch queue's columns for lazy preemption are seen by their number.
  bool irqs_off() const;
  bool need_resched() const;
  bool in_hardirq() const;
  bool in_softirq() const;
  std::optional<int> preempt_depth() const;
};

// A place where the ring buffer of a CPU overran. Nothing is known of the CPU between its
// event before this line and its next one.
struct LostEvents {
  size_t line = 0;
  int cpu = -1;
  std::optional<uint64_t> count;
};

// What stands above a trace of irqsoff, preemptoff, preemptirqsoff, wakeup, wakeup_rt.
struct LatencyHeader {
  size_t line = 0;         // of "# latency:"
  int64_t latency_us = 0;  // the measured value: the clock of the lines goes on after it
  uint64_t shown = 0;      // "#4/4": entries in the buffer, and written to it
  uint64_t written = 0;
  int cpu = -1;
  std::string preemption;  // "M:": "preempt", "preempt_rt", "desktop", "server"
  std::string task;        // "ksoftirqd/3"
  int64_t pid = -1;
  int64_t nice = 0;
  int64_t policy = 0;  // 1 SCHED_FIFO, 2 SCHED_RR
  int64_t rt_priority = 0;
  std::string started_at;  // empty for the wakeup tracers
  std::string ended_at;
};

// A line of function_graph.
struct GraphLine {
  enum class Kind { kLeaf, kOpen, kClose, kSwitch, kComment };
  Kind kind = Kind::kLeaf;
  size_t line = 0;
  int cpu = -1;
  size_t depth = 0;                    // of the call, 0 outermost of the indentation
  std::optional<int64_t> time_ns;      // of the option funcgraph-abstime
  std::optional<int64_t> duration_ns;  // of a leaf and at the end of a call
  std::string function;                // of a leaf and at the begin of a call; a switch's text
};

// Another line of the file that matters: the kernel log's own words.
struct TraceRemark {
  size_t line = 0;
  std::string text;
};

// One trace. A file may hold several, with prose between them.
struct Trace {
  std::string source;      // "mail.txt", "mail.txt:256" for the second of a file
  size_t line = 0;         // its first
  std::string tracer;      // "irqsoff", "nop", "function_graph"; empty: not said
  std::string release;     // of the kernel; empty: not said
  std::string clock;       // "local", "mono"; empty: not said
  size_t cpu_count = 0;    // of the machine; 0: not said
  bool is_window = false;  // the events around the outlier, out of a larger file
  std::optional<LatencyHeader> header;
  std::vector<TraceEvent> events;  // in the file's order
  std::vector<GraphLine> graph;    // likewise
  std::vector<LostEvents> lost;
  std::vector<TraceRemark> remarks;  // of the whole file
  std::vector<TraceRemark> damaged;  // lines that begin as an event and do not go on as one
  std::vector<size_t> cuts;          // lines "[...]", where somebody left something out
  // "# entries-in-buffer/entries-written: 140080/250280": what was overwritten is no loss
  // after the first event shown.
  std::optional<uint64_t> entries_shown, entries_written;
  size_t entries = 0;      // lines that are an entry of the buffer, stack traces too
  int64_t last_ns = 0;     // the time of the last of them
  bool from_dump = false;  // of the kernel log: printk's clock is beside the trace's
};

}  // namespace rtsweep
