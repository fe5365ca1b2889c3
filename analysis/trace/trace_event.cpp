// SPDX-License-Identifier: GPL-2.0-or-later

#include <cctype>

#include "analysis/trace/trace.h"

namespace rtsweep {
namespace {

// "d..2." irqs-off, need-resched, hardirq/softirq, preempt-depth, migrate-disable.
// "d..h2.." of an RT patch queue before 6.x: a column need-resched-lazy before the third,
// preempt-lazy-depth before the last.
size_t context_column(const std::string& flags) { return flags.size() >= 6 ? 3 : 2; }

char column(const std::string& flags, size_t index) {
  return index < flags.size() ? flags[index] : '.';
}

}  // namespace

bool TraceEvent::irqs_off() const { return column(flags, 0) == 'd' || column(flags, 0) == 'D'; }

bool TraceEvent::need_resched() const {
  const char c = column(flags, 1);
  return c == 'N' || c == 'n' || c == 'p' || c == 'B';
}

bool TraceEvent::in_hardirq() const {
  const char c = column(flags, context_column(flags));
  return c == 'h' || c == 'H' || c == 'z' || c == 'Z';
}

bool TraceEvent::in_softirq() const {
  const char c = column(flags, context_column(flags));
  return c == 's' || c == 'S';
}

std::optional<int> TraceEvent::preempt_depth() const {
  const size_t at = context_column(flags) + 1;
  if (at >= flags.size()) return std::nullopt;
  const auto c = static_cast<unsigned char>(flags[at]);
  if (c == '.') return 0;
  if (std::isxdigit(c) == 0) return std::nullopt;
  return std::isdigit(c) != 0 ? c - '0' : std::tolower(c) - 'a' + 10;
}

}  // namespace rtsweep
