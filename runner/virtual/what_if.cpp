// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/virtual/what_if.h"

#include "analysis/cyclictest_output.h"
#include "runner/base/files.h"

namespace rtsweep {
namespace {

// Samples by latency; those that overflowed the histogram count as its limit.
Result<std::map<int64_t, uint64_t>> latencies(const std::filesystem::path& trial) {
  const std::filesystem::path file = trial / "cyclictest.json";
  RTSWEEP_TRY(const std::string text, read_file(file));
  RTSWEEP_TRY(const std::vector<CyclictestRun> runs, parse_cyclictest(text, file.string()));
  std::map<int64_t, uint64_t> counts;
  for (const CpuResult& cpu : cpu_results(runs.front())) {
    for (const auto& [latency, times] : cpu.histogram.counts()) counts[latency.count()] += times;
    const uint64_t overflows = cpu.histogram.overflows();
    if (overflows > 0) counts[cpu.histogram.limit().count()] += overflows;
  }
  return counts;
}

}  // namespace

Result<WhatIf> measure_what_if(const RunDirectory& run, const PlannedTrial& trial,
                               const RerunOptions& options, const std::atomic<bool>& stop,
                               const Listener& listener) {
  if (run.plan().probe != "cyclictest") {
    return Error(Errc::kNotSupported,
                 "--what-if compares what cyclictest measures, not " + run.plan().probe);
  }
  WhatIf what_if{.parameter = options.parameter};
  RTSWEEP_TRY(what_if.before, latencies(run.trial_directory(trial)));
  listener("measuring the trial again with " + options.parameter);
  RTSWEEP_CHECK_OK(rerun_trial(run, trial, options, stop, [](std::string_view) {}));
  RTSWEEP_TRY(what_if.after, latencies(options.directory));
  return what_if;
}

}  // namespace rtsweep
