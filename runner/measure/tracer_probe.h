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

// What runs beside a tracer for as long as this object lives.
class TracerThreads {
 public:
  virtual ~TracerThreads() = default;
  virtual Result<void> check() = 0;  // at the end: whether it was there all the time
};

// One of the kernel's latency tracers, as the measuring code common to them needs it.
struct Tracer {
  std::string_view name;    // in available_tracers; its records are events/ftrace/NAME
  std::string_view option;  // of the kernel's config
  std::string_view since;   // the first Linux that has it in instances
  std::span<const std::string_view> fields;  // of a record, that count() gets in this order

  // Global knobs for this probe; busy_us, threshold_us and kinds of the result that only some
  // kernels have are filled in. `tracefs`: where it is mounted, below the root.
  std::vector<TracefsSetting> (*settings)(const ProbeContext& context, const std::string& tracefs,
                                          TracerResult& result);

  // Counts one record and says its largest sample, in ns: what a breakpoint speaks of.
  int64_t (*count)(std::span<const int64_t> values, int64_t histogram_us, TracerCpu& cpu);

  // Records a second on one CPU, at most.
  double (*records_per_s)(const ProbeSpec& spec);

  // Kinds of samples, in every result also when there were none.
  std::span<const std::string_view> kinds;

  bool keeps_all = false;        // every record goes to NAME.txt, not only those of interest
  std::string_view thread = {};  // a kernel thread whose CPU time proves that it worked

  // Called when the tracer has started. Null, also as its value: nothing is needed.
  Result<std::unique_ptr<TracerThreads>> (*start_threads)(const ProbeContext& context,
                                                          const std::string& tracefs) = nullptr;
};

// The probe that runs a tracer in an instance of its own and reads its records every few
// seconds, from a CPU that is not isolated. Its files are NAME.json (a TracerResult) and
// NAME.txt (the records past the breakpoint, or all).
std::unique_ptr<Probe> make_tracer_probe(const Tracer& tracer, const ProbeContext& context);

std::unique_ptr<Probe> make_timerlat(const ProbeContext& context);
std::unique_ptr<Probe> make_osnoise(const ProbeContext& context);
std::unique_ptr<Probe> make_hwlat(const ProbeContext& context);

}  // namespace rtsweep
