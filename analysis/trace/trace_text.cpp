// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/trace/event_line.h"
#include "analysis/trace/graph_line.h"
#include "analysis/trace/line_parts.h"
#include "analysis/trace/scan.h"
#include "analysis/trace/trace_header.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

// Mail programs break lines between 66 and 80 characters.
constexpr size_t kShortestWrapped = 66;
constexpr int64_t kClockStep = 1'000;            // of a microsecond: rounding, not a new trace
constexpr int64_t kOtherTrace = 60'000'000'000;  // events this far apart, prose between them
constexpr size_t kMostRemarks = 200;
constexpr size_t kMostDamaged = 200;
constexpr size_t kMostStack = 128;
constexpr size_t kNearStack = 64;  // events between one and its stack

// Builds the traces of one text, line by line.
class TraceReader {
 public:
  explicit TraceReader(std::string_view name) : name_(name) {}

  void line(std::string_view raw) {
    ++number_;
    if (raw.ends_with('\r')) raw.remove_suffix(1);
    bool from_log = false;
    const std::string_view bare = without_prefixes(raw, from_log);
    if (bare.find('\0') != std::string_view::npos && !binary_line_) binary_line_ = number_;
    if (!from_log && joins(bare)) return join_line(bare);
    last_kind_ = read(bare, from_log);
    last_ = bare;
    last_length_ = bare.size();
  }

  Result<std::vector<Trace>> take() {
    close();
    if (traces_.empty()) return nothing_found();
    for (Trace& trace : traces_) {
      trace.source = traces_.size() > 1 ? fmt::format("{}:{}", name_, trace.line) : name_;
      trace.remarks = remarks_;
    }
    return std::move(traces_);
  }

 private:
  enum class Kind { kOther, kComment, kEvent, kGraph, kStack, kMark };

  // A line that a mail program broke off the one before.
  bool joins(std::string_view line) const {
    if (last_kind_ != Kind::kEvent && !broken_header()) return false;
    const std::string_view rest = trim(line);
    if (rest.empty() || is_cut(line) || is_rule(line) || rest.starts_with('#') ||
        rest.starts_with("=>") || rest.starts_with("CPU:") || begins_as_event(line) ||
        parse_event_line(line) || parse_graph_line(line)) {
      return false;
    }
    const size_t word = rest.substr(0, rest.find(' ')).size();
    return last_length_ + 1 + word > kShortestWrapped;
  }

  bool broken_header() const {
    return last_kind_ == Kind::kComment && last_.find("latency:") != std::string::npos &&
           last_.find(')') == std::string::npos;
  }

  void join_line(std::string_view rest) {
    last_ += " ";
    last_ += trim(rest);
    last_length_ = rest.size();
    if (last_kind_ == Kind::kComment) {
      read_header_line(last_, header_line_, trace());
    } else if (const auto whole = parse_event_line(last_); whole && !trace().events.empty()) {
      TraceEvent& event = trace().events.back();
      event.name = whole->name;
      event.text = whole->text;
    }
  }

  Kind read(std::string_view line, bool from_log) {
    if (trim(line).empty()) return Kind::kOther;
    if (trim(line).starts_with('#') && !parse_event_line(line)) return comment(line);
    if (auto event = parse_event_line(line)) return add_event(std::move(*event), from_log);
    if (auto graph = parse_graph_line(line)) return add_graph(std::move(*graph));
    if (add_stack(line)) return Kind::kStack;
    if (mark(line)) return Kind::kMark;
    if (begins_as_event(line)) {
      damaged(line);
      return Kind::kMark;
    }
    return prose(line, from_log);
  }

  Kind comment(std::string_view line) {
    const std::string_view tracer = tracer_named(line);
    if (!tracer.empty() && trace().tracer != tracer) {
      begin();
      trace().tracer = tracer;
    }
    if (line.find(" latency trace v") != std::string_view::npos && trace().header) begin();
    header_line_ = number_;
    read_header_line(trim(line), number_, trace());
    return Kind::kComment;
  }

  Kind add_event(TraceEvent event, bool from_log) {
    if (event.name == "stack") {
      count(event);
      stack_of_ = newest_of(event.cpu);
      return Kind::kStack;
    }
    if (event.name == "funcgraph_entry" || event.name == "funcgraph_exit") {
      if (auto graph = parse_graph_body(event.text)) {
        graph->cpu = event.cpu;
        graph->time_ns = event.time_ns;
        return add_graph(std::move(*graph));
      }
    }
    if (is_new_trace(event)) {
      const bool after_prose = prose_;
      begin();
      quoted_ = after_prose;
    }
    event.line = number_;
    last_time_[event.cpu] = event.time_ns;
    count(event);
    trace().from_dump |= from_log;
    trace().events.push_back(std::move(event));
    stack_of_ = trace().events.size() - 1;
    prose_ = false;
    return Kind::kEvent;
  }

  void count(const TraceEvent& event) {
    ++trace().entries;
    trace().last_ns = event.time_ns;
  }

  // A clock that goes back, or another latency trace after prose.
  bool is_new_trace(const TraceEvent& event) const {
    if (traces_.empty() || traces_.back().events.empty()) return false;
    if (prose_ && traces_.back().header) return true;
    const auto before = last_time_.find(event.cpu);
    if (before != last_time_.end() && event.time_ns + kClockStep < before->second) return true;
    return prose_ && event.time_ns > traces_.back().events.back().time_ns + kOtherTrace;
  }

  Kind add_graph(GraphLine graph) {
    if (prose_ && !traces_.empty() && !traces_.back().graph.empty()) begin();
    graph.line = number_;
    trace().graph.push_back(std::move(graph));
    prose_ = false;
    return Kind::kGraph;
  }

  // Events of other CPUs may stand between an event and its stack.
  size_t newest_of(int cpu) {
    const auto& events = trace().events;
    for (size_t i = events.size(); i-- > 0 && i + kNearStack >= events.size();) {
      if (events[i].cpu == cpu) return i;
    }
    return events.size();
  }

  // " => do_IRQ", a stack's line; trace-cmd adds the address: "=> do_IRQ (ffffffff8100)".
  bool add_stack(std::string_view line) {
    std::string_view rest = trim(line);
    if (!scan::literal(rest, "=>") || traces_.empty() || traces_.back().events.empty()) {
      return false;
    }
    if (stack_of_ >= trace().events.size()) return true;  // of an event that is not there
    rest = trim(rest);
    if (rest.ends_with(')')) rest = trim(rest.substr(0, rest.rfind(" (")));
    auto& stack = trace().events[stack_of_].stack;
    if (stack.size() < kMostStack) stack.emplace_back(rest);
    return true;
  }

  // What stands between events and is none: lost ones, cuts, the dump's frame.
  bool mark(std::string_view line) {
    if (is_cut(line)) {
      trace().cuts.push_back(number_);
      return true;
    }
    if (lost(line)) return true;
    if (line.find("Dumping ftrace buffer:") != std::string_view::npos) {
      begin();
      trace().from_dump = true;
      return true;
    }
    return is_rule(line) || line.starts_with("cpus=") || line.starts_with("version =") ||
           line.find("(ftrace buffer empty)") != std::string_view::npos ||
           line.find("buffer started ####") != std::string_view::npos;
  }

  // "CPU:3 [LOST 123 EVENTS]", "CPU:3 [LOST EVENTS]"; trace-cmd: "CPU:3 [123 EVENTS DROPPED]".
  bool lost(std::string_view line) {
    std::string_view rest = trim(line);
    if (!scan::literal(rest, "CPU:")) return false;
    const auto cpu = scan::natural(rest);
    if (!cpu || *cpu > 65'535 || rest.find("EVENTS") == std::string_view::npos) return false;
    LostEvents lost{.line = number_, .cpu = static_cast<int>(*cpu)};
    if (const size_t digit = rest.find_first_of("0123456789"); digit != std::string_view::npos) {
      std::string_view count = rest.substr(digit);
      lost.count = scan::natural(count);
    }
    trace().lost.push_back(lost);
    return true;
  }

  void damaged(std::string_view line) {
    if (trace().damaged.size() < kMostDamaged) {
      trace().damaged.push_back({number_, std::string(line)});
    }
  }

  Kind prose(std::string_view line, bool from_log) {
    if (is_complaint(line) && remarks_.size() < kMostRemarks) {
      remarks_.push_back({number_, std::string(trim(line))});
    } else if (!from_log) {
      prose_ = true;
    }
    return Kind::kOther;
  }

  Trace& trace() {
    if (traces_.empty()) begin();
    Trace& current = traces_.back();
    if (current.line == 0) current.line = number_;
    return current;
  }

  void begin() {
    close();
    traces_.emplace_back().line = number_;
    last_time_.clear();
    prose_ = false;
  }

  // A head without a trace is none: a dump says "(ftrace buffer empty)" after it. Nor is a
  // single line that prose quotes from the trace above.
  void close() {
    if (traces_.empty()) return;
    const Trace& last = traces_.back();
    const bool quoted = quoted_ && last.events.size() == 1 && !last.header;
    if (quoted || (last.events.empty() && last.graph.empty() && !last.header)) traces_.pop_back();
    quoted_ = false;
  }

  Error nothing_found() const {
    if (binary_line_) {
      return {Errc::kBadData, fmt::format("{}:{}: binary data, no trace", name_, *binary_line_)};
    }
    return {Errc::kBadData, fmt::format("{}:{}: no trace: none of its lines is one of ftrace's",
                                        name_, std::max<size_t>(number_, 1))};
  }

  std::string name_;
  size_t number_ = 0;
  std::vector<Trace> traces_;
  std::vector<TraceRemark> remarks_;
  std::map<int, int64_t> last_time_;  // of each CPU in this trace
  bool prose_ = false;                // since the last line of a trace
  bool quoted_ = false;               // the trace was begun by one line after prose
  size_t stack_of_ = 0;               // the event that the next stack belongs to
  std::optional<size_t> binary_line_;
  std::string last_;  // the line before, with what was joined to it
  size_t last_length_ = 0;
  size_t header_line_ = 0;
  Kind last_kind_ = Kind::kOther;
};

}  // namespace

Result<std::vector<Trace>> parse_trace(std::string_view text, std::string_view name) {
  const std::string plain = with_plain_blanks(text);
  text = plain;
  TraceReader reader(name);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    reader.line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return reader.take();
}

}  // namespace rtsweep
