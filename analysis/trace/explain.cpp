// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/trace/explain_parts.h"
#include "analysis/trace/trace_text.h"

namespace rtsweep {
namespace {

// A kernel log without a trace: what it complains of is all that can be said.
std::vector<Explanation> explain_log(std::string_view text, std::string_view name) {
  Trace log{.source = std::string(name)};
  Explanation result{.source = std::string(name), .subject = "kernel log without a trace"};
  size_t line = 0;
  std::string last;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    ++line;
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::string meaning = complaint_meaning(one);
    if (meaning.empty() || meaning == last) continue;
    last = meaning;
    bool from_log = false;
    result.evidence.push_back({line, std::string(without_prefixes(one, from_log))});
    result.notes.push_back(fmt::format("line {}: {}", line, meaning));
  }
  if (result.evidence.empty()) return {};
  result.headline = "No trace here; the kernel's complaints name a symptom, not the cause.";
  result.next.emplace_back(recording_command());
  return {std::move(result)};
}

}  // namespace

std::string_view recording_command() {
  return "trace-cmd record -e sched -e irq -e irq_vectors -e timer -e power -e workqueue -b 8192 "
         "cyclictest -m -S -p 95 -i 200 -b 100 --tracemark";
}

Explanation explain(const Trace& trace, const ExplainOptions& options) {
  if (trace.header) return explain_latency_tracer(trace);
  if (trace.events.empty()) return explain_graph(trace);
  if (has_event(trace, "hwlat")) return explain_hwlat(trace);
  for (const TraceRemark& remark : trace.remarks) {
    if (complaint_is_finding(remark.text)) return explain_complaint(trace, remark);
  }
  return explain_events(trace, options);
}

Result<std::vector<Explanation>> explain_text(std::string_view text, std::string_view name,
                                              const ExplainOptions& options) {
  if (auto analysed = explain_rtla(text, name); !analysed.empty()) return analysed;
  if (auto table = explain_perf_sched(text, name)) return std::vector{std::move(*table)};
  auto traces = parse_trace(text, name);
  if (!traces) {
    if (auto log = explain_log(text, name); !log.empty()) return log;
    return std::move(traces).error();
  }
  std::vector<Explanation> explanations;
  for (const Trace& trace : *traces) explanations.push_back(explain(trace, options));
  return explanations;
}

}  // namespace rtsweep
