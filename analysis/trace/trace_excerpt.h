// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <vector>

#include "analysis/trace/explanation.h"
#include "analysis/trace/trace.h"

namespace rtsweep {

struct ExcerptOptions {
  size_t width = 72;       // characters in a line; 0: no bound
  size_t most_lines = 40;  // the middle is left out, and said so; 0: no bound
  bool all_cpus = false;   // else the CPUs that the latency was spent on
};

// The events around an explained latency, a line each: CPU, us after the expiry, thread,
// event. Scheduler events are shortened to who and which priority. Empty without segments.
std::vector<std::string> trace_excerpt(const Trace& trace, const Explanation& explanation,
                                       const ExcerptOptions& options = {});

}  // namespace rtsweep
