// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string_view>

#include "analysis/trace/trace.h"

namespace rtsweep {

// Reads one comment line ("# ...") of a trace's head into the trace; others change nothing.
//
//   # tracer: irqsoff
//   # irqsoff latency trace v1.1.5 on 3.8.0-test+
//   # latency: 16 us, #4/4, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)
//   #    | task: swapper/0-0 (uid:0 nice:0 policy:0 rt_prio:0)
//   #  => started at: run_timer_softirq
//   # entries-in-buffer/entries-written: 140080/250280   #P:4
void read_header_line(std::string_view comment, size_t line, Trace& trace);

// The tracer that the line begins a trace of; empty when it begins none.
std::string_view tracer_named(std::string_view comment);

}  // namespace rtsweep
