// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/graph_line.h"

#include <algorithm>
#include <cctype>

#include "analysis/trace/scan.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

bool is_function(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.';
  });
}

// "  f();", "  f() {", "  }", "  } /* f */": two blanks of indentation for each call.
bool take_call(std::string_view text, GraphLine& line) {
  const size_t indent = text.find_first_not_of(' ');
  if (indent == std::string_view::npos) return false;
  line.depth = indent / 2;
  std::string_view call = trim(text);
  if (call.starts_with('}')) {
    line.kind = GraphLine::Kind::kClose;
    return call == "}" || call.starts_with("} /*");
  }
  if (call.starts_with("/*")) {
    line.kind = GraphLine::Kind::kComment;
    line.function = call;
    return true;
  }
  const size_t parenthesis = call.find("()");
  if (parenthesis == std::string_view::npos || !is_function(call.substr(0, parenthesis))) {
    return false;
  }
  line.function = call.substr(0, parenthesis);
  const std::string_view end = trim(call.substr(parenthesis + 2));
  line.kind = end.starts_with('{') ? GraphLine::Kind::kOpen : GraphLine::Kind::kLeaf;
  return end.starts_with('{') || end.starts_with(';');
}

// "+ 10.777 us", "1000131 us"; the mark tells the size (10 us '+', 100 us '!', ...).
std::optional<int64_t> duration_in(std::string_view column) {
  column = trim(column);
  if (!column.empty() && std::string_view("+!#*@$").find(column[0]) != std::string_view::npos) {
    column.remove_prefix(1);
    scan::blanks(column);
  }
  return scan::microseconds(column);
}

}  // namespace

std::optional<GraphLine> parse_graph_body(std::string_view body) {
  GraphLine line;
  const size_t bar = body.rfind('|');
  if (bar == std::string_view::npos) {
    if (body.find("=>") != std::string_view::npos) {
      line.kind = GraphLine::Kind::kSwitch;
      line.function = join(words(body), " ");
      return line;
    }
    if (!take_call(body, line)) return std::nullopt;
    return line;
  }
  std::string_view columns = body.substr(0, bar);
  const size_t last = columns.rfind('|');
  line.duration_ns =
      duration_in(last == std::string_view::npos ? columns : columns.substr(last + 1));
  // The bar is followed by two blanks before the outermost call.
  std::string_view call = body.substr(bar + 1);
  if (call.starts_with("  ")) call.remove_prefix(2);
  if (!take_call(call, line)) return std::nullopt;
  return line;
}

std::optional<GraphLine> parse_graph_line(std::string_view line) {
  std::optional<int64_t> time;
  scan::blanks(line);
  std::string_view rest = line;
  if (const auto seconds = scan::seconds(rest)) {
    scan::blanks(rest);
    if (!scan::literal(rest, "|")) return std::nullopt;
    time = *seconds;
    scan::blanks(rest);
  }
  const auto cpu = scan::natural(rest);
  if (!cpu || *cpu > 65'535 || !scan::literal(rest, ")")) return std::nullopt;
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  auto parsed = parse_graph_body(rest);
  if (!parsed) return std::nullopt;
  parsed->cpu = static_cast<int>(*cpu);
  parsed->time_ns = time;
  return parsed;
}

}  // namespace rtsweep
