// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/capture/ring_pages.h"

namespace rtsweep {

// What a trace.dat says of the kernel, beside the recorded pages: the texts of tracefs that
// its readers need to decode them.
struct TraceDescription {
  RingPageLayout layout;
  std::string header_page;                                  // events/header_page
  std::string header_event;                                 // events/header_event
  std::vector<std::string> ftrace_formats;                  // events/ftrace/*/format
  std::map<std::string, std::vector<std::string>> formats;  // by system
  std::string printk_formats;
  std::string saved_cmdlines;
  std::string kallsyms;  // as /proc/kallsyms has it; may be a part of it
  std::string clock;     // the text of trace_clock: "local [mono] ..."
  std::string system;    // "Linux HOST 6.1.0-40-rt-amd64 #1 SMP ... x86_64", for people
};

// A file that trace-cmd and KernelShark open: trace.dat of version 6 (trace-cmd.dat.v6(5)),
// little-endian, not compressed.
std::string make_trace_dat(const TraceDescription& description, const std::vector<CpuPages>& cpus);

// Where an entry of trace_marker (the event `print`) has its fields: an RT patch queue's kernels
// have a common field more.
struct PrintLayout {
  uint16_t id = 0;
  size_t text_offset = 16;
};

// By events/ftrace/print/format, which is among the description's.
Result<PrintLayout> print_layout(const TraceDescription& description);

// A page with one such entry at `time_ns`, by this thread: what is known of the trace only
// afterwards, where a reader looks for it.
std::string marker_page(const RingPageLayout& layout, const PrintLayout& print, int pid,
                        uint64_t time_ns, const std::string& text);

}  // namespace rtsweep
