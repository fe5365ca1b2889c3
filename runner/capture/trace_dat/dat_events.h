// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/trace/trace.h"
#include "runner/capture/trace_dat/dat_formats.h"
#include "runner/capture/trace_dat/dat_pages.h"
#include "runner/capture/trace_dat/dat_symbols.h"

struct tep_handle;
struct tep_event;

namespace rtsweep {

// Turns raw events into those that explain() reads. Texts are as `trace-cmd report -N`
// prints them, by libtraceevent, a format parsed when the first event of it comes; and as
// the kernel prints them where libtraceevent cannot: preemptirq (its print format adds to
// an address of the kernel), osnoise, timerlat, hwlat.
class DatEvents {
 public:
  // Both stay as long as this does.
  DatEvents(const DatBytes& file, const DatContainer& container, const DatFormats& formats);
  ~DatEvents();
  DatEvents(const DatEvents&) = delete;
  DatEvents& operator=(const DatEvents&) = delete;

  TraceEvent event(const RawRecord& record, int cpu);

  // A stack trace belongs to the event before it on its CPU: the functions, innermost first;
  // those of a module as "do_nasty [nasty]".
  bool is_stack(const RawRecord& record) const;
  std::vector<std::string> stack(const RawRecord& record);

  // function_graph: a call or a return; empty for other events.
  std::optional<GraphLine> graph_line(const RawRecord& record, int cpu);

  uint16_t id(const RawRecord& record) const;
  int64_t time_ns(const RawRecord& record) const;

 private:
  struct Lookup;  // of a function by its address, for libtraceevent

  tep_event* parsed(uint16_t id);
  const DatSymbols& symbols();
  std::string function_at(uint64_t address);
  std::string printed(const RawRecord& record, int cpu, uint16_t id);
  std::string own_text(const RawRecord& record, uint16_t id);
  std::string tracer_text(const RawRecord& record, uint16_t id);
  std::string noise_text(const RawRecord& record, uint16_t id);
  std::string caller_text(const RawRecord& record, uint16_t id);
  uint64_t value(const RawRecord& record, uint16_t id, std::string_view field) const;
  std::string comm(int64_t pid) const;

  const DatBytes& file_;
  const DatContainer& container_;
  const DatFormats& formats_;
  CommonFields common_;
  std::unique_ptr<Lookup> lookup_;
  tep_handle* tep_;
  std::map<uint16_t, tep_event*> parsed_;
  std::optional<DatSymbols> symbols_;
  std::map<int64_t, std::string> comms_;
  size_t kernel_long_ = 8;
};

}  // namespace rtsweep
