// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/line_parts.h"

#include <algorithm>

#include "analysis/trace/scan.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

// "<4>[10363.661789] ", "[   12.345678][  T123] "
std::string_view without_printk(std::string_view line, bool& from_log) {
  std::string_view rest = line;
  if (rest.starts_with('<')) {
    rest.remove_prefix(1);
    if (!scan::natural(rest) || !scan::literal(rest, ">")) return line;
  }
  if (!scan::literal(rest, "[")) return line;
  scan::blanks(rest);
  if (!scan::seconds(rest) || !scan::literal(rest, "]")) return line;
  from_log = true;
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close < 12) rest.remove_prefix(close + 1);
  }
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  return rest;
}

}  // namespace

bool is_cut(std::string_view line) {
  const std::string_view bare = trim(line);
  return bare == "[...]" || bare == "[…]" || bare == "..." || bare == "…" || bare == "[snip]" ||
         bare == "<snip>";
}

bool is_rule(std::string_view line) {
  return line.size() >= 3 && line.find_first_not_of("-= ") == std::string_view::npos;
}

bool is_complaint(std::string_view line) {
  static constexpr std::string_view kComplaints[] = {"NOHZ tick-stop error",
                                                     "NOHZ: local_softirq_pending",
                                                     "RT throttling activated",
                                                     "Boost inversion",
                                                     "self-detected stall",
                                                     "detected stalls on",
                                                     "soft lockup",
                                                     "hard LOCKUP",
                                                     "scheduling while atomic",
                                                     "sched: DL replenish lagged"};
  return std::any_of(std::begin(kComplaints), std::end(kComplaints),
                     [line](auto words) { return line.find(words) != std::string_view::npos; });
}

std::string_view without_prefixes(std::string_view line, bool& from_log) {
  while (true) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos || line[begin] != '>') break;
    line.remove_prefix(begin + 1);
  }
  constexpr std::string_view kSyslog = " kernel: ";
  const size_t syslog = line.substr(0, 80).find(kSyslog);
  if (syslog != std::string_view::npos && line.substr(syslog + kSyslog.size()).starts_with('[')) {
    line.remove_prefix(syslog + kSyslog.size());
  }
  return without_printk(line, from_log);
}

std::string with_plain_blanks(std::string_view text) {
  constexpr std::string_view kNoBreak = "\xc2\xa0";
  std::string plain;
  while (true) {
    const size_t at = text.find(kNoBreak);
    plain += text.substr(0, at);
    if (at == std::string_view::npos) return plain;
    plain += ' ';
    text.remove_prefix(at + kNoBreak.size());
  }
}

}  // namespace rtsweep
