// SPDX-License-Identifier: GPL-2.0-or-later

// function_graph measures calls from begin to end, with everything in between: a call that
// sleeps lasts long and takes no CPU. Sleeping is not latency, so the time in schedule()
// is taken off before the longest call is named.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/trace/explain_parts.h"

namespace rtsweep {
namespace {

// The functions in which a thread gives the CPU away.
bool sleeps(std::string_view function) {
  static const std::set<std::string_view> sleeping = {
      "schedule",    "__schedule",       "schedule_timeout", "schedule_hrtimeout_range",
      "io_schedule", "preempt_schedule", "schedule_rtlock",  "schedule_preempt_disabled",
      "do_idle",     "default_idle_call"};
  return sleeping.contains(function);
}

struct Call {
  std::string function;
  int cpu = -1;
  size_t line = 0;
  int64_t duration_ns = 0;
  int64_t slept_ns = 0;
  bool across_switch = false;  // another task ran on the CPU in between
  size_t depth = 0;

  int64_t awake_ns() const { return std::max<int64_t>(duration_ns - slept_ns, 0); }
};

// Calls with their durations, the time that sleeping children took off their parents.
class CallTree {
 public:
  explicit CallTree(const Trace& trace) {
    for (const GraphLine& line : trace.graph) add(line);
  }

  const std::vector<Call>& calls() const { return calls_; }
  bool has_durations() const { return durations_; }

 private:
  void add(const GraphLine& line) {
    auto& open = open_[line.cpu];
    durations_ |= line.duration_ns.has_value();
    switch (line.kind) {
      case GraphLine::Kind::kOpen:
        leave_deeper(open, line.depth);
        open.push_back(
            {.function = line.function, .cpu = line.cpu, .line = line.line, .depth = line.depth});
        break;
      case GraphLine::Kind::kLeaf:
        leave_deeper(open, line.depth);
        finish({.function = line.function, .cpu = line.cpu, .line = line.line, .depth = line.depth},
               line.duration_ns, open);
        break;
      case GraphLine::Kind::kClose:
        close(line, open);
        break;
      case GraphLine::Kind::kSwitch:
        for (Call& call : open) call.across_switch = true;
        break;
      case GraphLine::Kind::kComment:
        break;
    }
  }

  // Calls whose end is not there: another task's, or cut off.
  static void leave_deeper(std::vector<Call>& open, size_t depth) {
    while (!open.empty() && open.back().depth >= depth) open.pop_back();
  }

  void close(const GraphLine& line, std::vector<Call>& open) {
    while (!open.empty() && open.back().depth > line.depth) open.pop_back();
    if (open.empty() || open.back().depth != line.depth) return;
    Call call = std::move(open.back());
    open.pop_back();
    finish(std::move(call), line.duration_ns, open);
  }

  void finish(Call call, std::optional<int64_t> duration, std::vector<Call>& open) {
    if (!duration) return;
    call.duration_ns = *duration;
    if (sleeps(call.function)) call.slept_ns = call.duration_ns;
    call.slept_ns = std::min(call.slept_ns, call.duration_ns);
    if (!open.empty()) open.back().slept_ns += call.slept_ns;
    calls_.push_back(std::move(call));
  }

  std::map<int, std::vector<Call>> open_;  // of each CPU, outermost first
  std::vector<Call> calls_;
  bool durations_ = false;
};

std::string call_text(const Call& call) {
  return fmt::format("{}() took {} on CPU {}", call.function, us_text(call.awake_ns()), call.cpu);
}

void name_longest(const CallTree& tree, Explanation& result) {
  const auto& calls = tree.calls();
  const auto awake = std::ranges::max_element(
      calls, {}, [](const Call& call) { return call.across_switch ? -1 : call.awake_ns(); });
  const auto asleep = std::ranges::max_element(
      calls, {}, [](const Call& call) { return sleeps(call.function) ? -1 : call.slept_ns; });
  result.headline = fmt::format("No latency is measured here; the longest call without sleep: {}.",
                                call_text(*awake));
  result.evidence.push_back({awake->line, call_text(*awake)});
  if (asleep->slept_ns > 0 && !sleeps(asleep->function)) {
    const std::string slept =
        fmt::format("{}() lasted {}, of which it slept {} in schedule(): sleeping is not latency",
                    asleep->function, us_text(asleep->duration_ns), us_text(asleep->slept_ns));
    result.notes.emplace_back(slept);
    result.evidence.push_back({asleep->line, slept});
  }
}

}  // namespace

Explanation explain_graph(const Trace& trace) {
  Explanation result{.source = trace.source, .subject = "function_graph trace"};
  const CallTree tree(trace);
  if (tree.calls().empty()) {
    result.headline = tree.has_durations()
                          ? "No latency is measured here, and no call ends in it."
                          : "No latency is measured here: the trace has no durations.";
  } else {
    name_longest(tree, result);
  }
  const auto switches = std::ranges::count(trace.graph, GraphLine::Kind::kSwitch, &GraphLine::kind);
  if (switches > 0) {
    result.notes.emplace_back(
        fmt::format("{} context switch{}: a duration across one includes other threads' time",
                    switches, switches == 1 ? "" : "es"));
  }
  result.next.emplace_back(std::string(recording_command()));
  return result;
}

}  // namespace rtsweep
