// SPDX-License-Identifier: GPL-2.0-or-later

// The lines that cyclictest prints of its threads. Include cyclictest_output.h instead.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cyclictest_output.h"

namespace rtsweep::cyclictest {

// "T: 0 ( 1449) P:80 I:200 C: 800368 Min:      0 Act:   32 Avg:   22 Max:     128"
struct SummaryLine {
  CyclictestThread thread;
  bool nanoseconds = false;  // -N: told by the wider Act field, nothing else says it
  size_t used = 1;           // lines, when a mail program broke it into several
};

// The summary line that begins at lines[at]; empty when none does. A line that is cut
// off or has no sane numbers is kBadData.
Result<std::optional<SummaryLine>> parse_summary(const std::vector<std::string>& lines, size_t at,
                                                 std::string_view name);

// "       0:      17:      47": one sample of -v; with --smi a fourth field, glued on.
struct VerboseLine {
  int thread = 0;
  uint64_t cycle = 0;
  int64_t latency = 0;
  bool complete = true;  // false: the last field is narrower than cyclictest prints it
};

std::optional<VerboseLine> parse_verbose(std::string_view line);

}  // namespace rtsweep::cyclictest
