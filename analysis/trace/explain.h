// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/trace/explanation.h"
#include "analysis/trace/trace.h"
#include "runner/base/result.h"

namespace rtsweep {

// A latency that its measuring program has said, of a trace with its clock (CLOCK_MONOTONIC,
// the trace clock "mono").
struct KnownLatency {
  int64_t latency_us = 0;  // as cyclictest prints it: rounded down
  int64_t end_ns = 0;      // when it read the clock; to a microsecond; 0: it does not say
  int64_t pid = -1;        // of the thread
};

struct ExplainOptions {
  // In a trace that marks no outlier, a way from waking to running this long is one.
  int64_t breakpoint_ns = 50'000;
  // The latency to explain, before any mark in the trace; where the trace has no events of
  // the thread at that time it is as if it were not given.
  std::optional<KnownLatency> known;
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
