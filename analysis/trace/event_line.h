// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/trace/trace.h"

namespace rtsweep {

// One event, in any of the forms that the kernel and trace-cmd write:
//
//   bash-1994    [000] d..1.  7542.703768: sched_switch: ...   trace, trace_pipe, trace-cmd
//   bash-1994    ( 1994) [000] 7542.703768: ...                option record-tgid, no flags
//   bash-1994    1d..1   12us+: irq_enter <-do_IRQ             latency format
//   bash 1994 1 0 00000001 0000002a [00000b6c] 0.012ms (+0.003ms): ...   verbose latency format
//
// Without its line number. Empty when the line is something else; the name stays empty
// when nothing stands behind the time, as a mail program leaves it that breaks lines.
std::optional<TraceEvent> parse_event_line(std::string_view line);

// True where a line begins as an event of the first form, "comm-pid [cpu]".
bool begins_as_event(std::string_view line);

// What stands behind the time: sets name and text.
void set_event_text(TraceEvent& event, std::string_view text);

// The event as one line, for people.
std::string event_text(const TraceEvent& event);

}  // namespace rtsweep
