// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/explain.h"
#include "analysis/trace/sched_events.h"

// The parts of explain(), one for each kind of input.
namespace rtsweep {

// A trace of irqsoff, preemptoff, preemptirqsoff, wakeup, wakeup_rt: the header's value.
Explanation explain_latency_tracer(const Trace& trace);

// function_graph: the longest call, without the time in which it slept.
Explanation explain_graph(const Trace& trace);

// The hwlat tracer: gaps that no kernel code made.
Explanation explain_hwlat(const Trace& trace);

// Scheduler, interrupt and timer events around a waking.
Explanation explain_events(const Trace& trace, const ExplainOptions& options);

// The kernel log says what went wrong, and the trace beside it may show more.
Explanation explain_complaint(const Trace& trace, const TraceRemark& complaint);

// rtla's "## CPU n hit stop tracing, analyzing it ##"; empty when there is none.
std::vector<Explanation> explain_rtla(std::string_view text, std::string_view name);

// The table of `perf sched latency`; empty when there is none.
std::optional<Explanation> explain_perf_sched(std::string_view text, std::string_view name);

// What a complaint of the kernel log means, in a sentence; empty for unknown ones.
std::string complaint_meaning(std::string_view line);
// True where the complaint is the finding, and not only a symptom beside it.
bool complaint_is_finding(std::string_view line);

// What a thread of this name is there for, where that says more than its name; or empty.
std::string thread_hint(std::string_view comm);

// The work that a function trace is full of, "block I/O completion": a third of its time or
// a tenth of its lines, as most lines are of helpers. Empty when no kind of work that is known
// has as much. The time of cuts counts for nothing.
std::string work_of_functions(const Trace& trace);

// The work that one of these functions of a stack stands for, "console output"; or empty.
std::string work_of_calls(std::span<const std::string_view> functions);

// Somebody left something out between the two lines.
bool is_cut_between(const Trace& trace, size_t before, size_t after);

// "16 us", "0.5 us", "1130504 us (1.13 s)".
std::string us_text(int64_t ns);

// How many events there are of each name, most first: "bprint 501, cdev_update 18".
std::string event_counts(const Trace& trace, size_t most);
bool has_event(const Trace& trace, std::string_view name_part);

}  // namespace rtsweep
