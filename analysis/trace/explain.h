// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string_view>
#include <vector>

#include "analysis/trace/explanation.h"
#include "analysis/trace/trace.h"
#include "runner/base/result.h"

namespace rtsweep {

struct ExplainOptions {
  // In a trace that marks no outlier, a way from waking to running this long is one.
  int64_t breakpoint_ns = 50'000;
};

// What caused the latency in a trace. Says unknown, or not provable, rather than guess.
Explanation explain(const Trace& trace, const ExplainOptions& options = {});

// The same of a file's text, whatever of this it holds: traces (see parse_trace), rtla's
// automatic analysis, perf sched latency, a kernel log's own complaints. kBadData, naming
// file and line, when it holds nothing of it.
Result<std::vector<Explanation>> explain_text(std::string_view text, std::string_view name,
                                              const ExplainOptions& options = {});

// The trace-cmd command that records what an explanation needs.
std::string_view recording_command();

}  // namespace rtsweep
