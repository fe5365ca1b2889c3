// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/explain.h"

#include <fmt/format.h>

#include <set>

#include "analysis/trace/explain_parts.h"
#include "analysis/trace/scan.h"
#include "analysis/trace/trace_text.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

// "[   23.002846]" at the end of a line: a console on which somebody else writes too has
// the time there, and the message in the next line.
std::string_view time_at_end(std::string_view line) {
  const size_t open = line.rfind('[');
  if (open == std::string_view::npos || !line.ends_with(']')) return {};
  std::string_view rest = line.substr(open + 1);
  scan::blanks(rest);
  return scan::seconds(rest) && rest == "]" ? line.substr(open) : std::string_view{};
}

// The complaint in a line, with its time from the line before and its end from the next.
std::string whole_complaint(const std::vector<std::string>& lines, size_t at) {
  std::string text(trim(lines[at]));
  if (at > 0 && !text.starts_with('[')) {
    const auto time = time_at_end(trim(lines[at - 1]));
    if (!time.empty()) text = std::string(time) + " " + text;
  }
  const bool broken = text.find("work is") != std::string::npos && !text.ends_with("!!!");
  if (broken && at + 1 < lines.size()) text += " " + std::string(trim(lines[at + 1]));
  return text;
}

// A kernel log without a trace: what it complains of is all that can be said.
std::vector<Explanation> explain_log(std::string_view text, std::string_view name) {
  Explanation result{.source = std::string(name), .subject = "kernel log without a trace"};
  const std::vector<std::string> lines = split(text, '\n');
  std::set<std::string> said;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (complaint_meaning(lines[i]).empty()) continue;
    const std::string complaint = whole_complaint(lines, i);
    const std::string meaning = complaint_meaning(complaint);
    if (!said.insert(meaning).second) continue;
    result.evidence.push_back({i + 1, complaint});
    result.notes.emplace_back(fmt::format("line {}: {}", i + 1, meaning));
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
