// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/cyclictest_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/cyclictest_parts.h"
#include "runner/base/text.h"

namespace rtsweep::cyclictest {
namespace {

constexpr std::string_view kDigits = "0123456789";

// Reads a line from left to right; blanks between the parts do not matter.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool skip(std::string_view literal) {
    skip_blanks();
    if (!rest_.starts_with(literal)) return false;
    rest_.remove_prefix(literal.size());
    return true;
  }

  std::optional<int64_t> number() {
    skip_blanks();
    const size_t sign = rest_.starts_with('-') ? 1 : 0;
    const size_t end = std::min(rest_.find_first_not_of(kDigits, sign), rest_.size());
    const auto value = parse_signed(rest_.substr(0, end));
    if (value) rest_.remove_prefix(end);
    return value;
  }

  // Whether the text ends here, or within `literal`.
  bool ends_within(std::string_view literal) {
    skip_blanks();
    return literal.starts_with(rest_);
  }

  bool at_end() { return ends_within(""); }

 private:
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  }

  std::string_view rest_;
};

// Where "T: 0 (" begins, behind whatever a logger put before it.
std::optional<size_t> find_summary(std::string_view line) {
  for (size_t at = line.find("T:"); at != std::string_view::npos; at = line.find("T:", at + 1)) {
    Scanner scanner(line.substr(at));
    if (scanner.skip("T:") && scanner.number() && scanner.skip("(")) return at;
  }
  return std::nullopt;
}

enum class Read { kComplete, kCutOff, kMalformed };

// The fields behind "T: N", in cyclictest's order.
struct Fields {
  int64_t thread = 0, tid = 0, priority = 0, interval = 0, cycles = 0, min = 0, act = 0, avg = 0,
          max = 0, smis = -1;
};

Read read_fields(Scanner& scanner, Fields& fields) {
  const struct {
    std::string_view label;
    int64_t& value;
  } parts[] = {{"T:", fields.thread},   {"(", fields.tid},       {")", fields.tid},
               {"P:", fields.priority}, {"I:", fields.interval}, {"C:", fields.cycles},
               {"Min:", fields.min},    {"Act:", fields.act},    {"Avg:", fields.avg},
               {"Max:", fields.max}};
  for (const auto& [label, value] : parts) {
    if (!scanner.skip(label)) return scanner.ends_within(label) ? Read::kCutOff : Read::kMalformed;
    if (label == ")") continue;
    const bool cut = scanner.ends_within("-");
    const auto number = scanner.number();
    if (!number) return cut ? Read::kCutOff : Read::kMalformed;
    value = *number;
  }
  if (scanner.skip("SMI:")) fields.smis = scanner.number().value_or(-1);
  return Read::kComplete;
}

// "Act:%5ld " in microseconds, "Act:%8ld " in nanoseconds: padding tells them apart.
bool has_nanosecond_padding(std::string_view line) {
  const size_t act = line.find("Act:");
  const size_t avg = line.find(" Avg:");
  if (act == std::string_view::npos || avg == std::string_view::npos || avg < act) return false;
  const std::string_view field = line.substr(act + 4, avg - act - 4);
  return field.size() == 8 && field.starts_with(' ');
}

bool is_sane(const Fields& fields) {
  return fields.thread >= 0 && fields.thread < kMostThreads && fields.cycles >= 0 &&
         static_cast<uint64_t>(fields.cycles) <= kMostCycles;
}

CyclictestThread thread_of(const Fields& fields) {
  CyclictestThread thread{.thread = static_cast<int>(fields.thread),
                          .priority = fields.priority,
                          .interval_us = fields.interval,
                          .cycles = static_cast<uint64_t>(fields.cycles)};
  if (fields.tid > 0) thread.tid = fields.tid;  // 0 until the thread has started
  if (fields.smis >= 0) thread.smis = static_cast<uint64_t>(fields.smis);
  if (fields.cycles == 0) return thread;
  thread.min = fields.min;
  thread.max = fields.max;
  thread.avg = static_cast<double>(fields.avg);
  return thread;
}

// A continuation is neither empty nor the next summary.
bool continues(const std::vector<std::string>& lines, size_t at) {
  return at < lines.size() && !trim(lines[at]).empty() && !find_summary(lines[at]);
}

}  // namespace

Result<std::optional<SummaryLine>> parse_summary(const std::vector<std::string>& lines, size_t at,
                                                 std::string_view name) {
  const auto begin = find_summary(lines[at]);
  if (!begin) return std::optional<SummaryLine>();
  std::string text = lines[at].substr(*begin);
  for (size_t used = 1;; ++used) {
    Fields fields;
    Scanner scanner(text);
    const Read read = read_fields(scanner, fields);
    if (read == Read::kMalformed || (read == Read::kComplete && !is_sane(fields))) {
      return bad_data(name, at + used, "a summary line with no sane numbers");
    }
    if (read == Read::kComplete) {
      return std::optional(SummaryLine{thread_of(fields), has_nanosecond_padding(text), used});
    }
    if (used > 3 || !continues(lines, at + used)) {
      return bad_data(name, at + used, "the summary line is cut off");
    }
    text += " " + lines[at + used];
  }
}

std::optional<VerboseLine> parse_verbose(std::string_view line) {
  constexpr size_t kWidth = 8;  // "%8d:%8lu:%8ld", and "%8ld" more with --smi
  const size_t first = line.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const size_t second = line.find(':', first + 1);
  if (second == std::string_view::npos || second - first <= kWidth) return std::nullopt;
  std::string_view value = line.substr(second + 1);
  if (value.size() == 2 * kWidth) value = value.substr(0, kWidth);
  const auto thread = parse_signed(trim(line.substr(0, first)));
  const auto cycle = parse_count(trim(line.substr(first + 1, second - first - 1)));
  const auto latency = parse_signed(trim(value));
  if (!thread || !cycle || *thread < 0 || *thread >= kMostThreads) return std::nullopt;
  if (!latency && !trim(value).empty()) return std::nullopt;
  return VerboseLine{static_cast<int>(*thread), *cycle, latency.value_or(0),
                     value.size() >= kWidth};
}

}  // namespace rtsweep::cyclictest
