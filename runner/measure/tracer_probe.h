// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/tracer_result.h"
#include "runner/measure/probe.h"
#include "runner/measure/tracefs_settings.h"

namespace rtsweep {

// One of the kernel's latency tracers, as the measuring code common to them needs it.
struct Tracer {
  std::string_view name;    // in available_tracers; its records are events/ftrace/NAME
  std::string_view option;  // of the kernel's config
  std::string_view since;   // the first Linux that has it in instances
  std::span<const std::string_view> fields;  // of a record, that count() gets in this order

  // Global knobs for this probe; busy_us and threshold_us of the result are filled in.
  std::vector<TracefsSetting> (*settings)(const ProbeContext& context, TracerResult& result);

  // Counts one record and says its largest sample, in ns: what a breakpoint speaks of.
  int64_t (*count)(std::span<const int64_t> values, int64_t histogram_us, TracerCpu& cpu);

  // Records a second on one CPU, at most.
  double (*records_per_s)(const ProbeSpec& spec);

  // Kinds of samples, in every result also when there were none.
  std::span<const std::string_view> kinds;

  bool keeps_all = false;        // every record goes to NAME.txt, not only those of interest
  std::string_view thread = {};  // a kernel thread whose CPU time proves that it worked
};

// The probe that runs a tracer in an instance of its own and reads its records every few
// seconds, from a CPU that is not isolated. Its files are NAME.json (a TracerResult) and
// NAME.txt (the records past the breakpoint, or all).
std::unique_ptr<Probe> make_tracer_probe(const Tracer& tracer, const ProbeContext& context);

std::unique_ptr<Probe> make_timerlat(const ProbeContext& context);
std::unique_ptr<Probe> make_osnoise(const ProbeContext& context);
std::unique_ptr<Probe> make_hwlat(const ProbeContext& context);

}  // namespace rtsweep
