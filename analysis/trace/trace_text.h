// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string_view>
#include <vector>

#include "analysis/trace/trace.h"
#include "runner/base/result.h"

namespace rtsweep {

// Reads ftrace's text: `trace`, `trace_pipe`, `trace-cmd report`, the latency formats,
// function_graph, timerlat and osnoise, and the dump that the kernel log holds after
// ftrace_dump_on_oops; also when a mail program quoted and wrapped it. Several traces in
// one text, prose between them, stay apart.
//
// `name` is the file's, for messages and for Trace::source. kBadData, naming file and
// line, when no line of it belongs to a trace. Single damaged lines are kept as such: what
// they are worth depends on where they stand.
Result<std::vector<Trace>> parse_trace(std::string_view text, std::string_view name);

}  // namespace rtsweep
