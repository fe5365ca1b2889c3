// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string_view>

#include "analysis/trace/trace.h"

namespace rtsweep {

// One line of function_graph, with or without its columns of absolute time, task, flags
// and duration:
//
//   7238523.638013 |   0)  bash-5363  |   0.153 us    |      rcu_irq_enter();
//    1)   do_filp_open() {                            option funcgraph-duration off
//    0)  platfor-3210  =>  vmstat-2854                another task runs from here
//
// Without its line number. Empty when the line is something else.
std::optional<GraphLine> parse_graph_line(std::string_view line);

// The part behind the CPU: also what trace-cmd puts behind "funcgraph_entry:".
std::optional<GraphLine> parse_graph_body(std::string_view body);

}  // namespace rtsweep
