// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/virtual/what_if.h"

#include "analysis/cyclictest_output.h"
#include "runner/base/files.h"

namespace rtsweep {
namespace {

// The samples of all threads together.
Result<LatencyHistogram> latencies(const std::filesystem::path& trial) {
  const std::filesystem::path file = trial / "cyclictest.json";
  RTSWEEP_TRY(const std::string text, read_file(file));
  RTSWEEP_TRY(const std::vector<CyclictestRun> runs, parse_cyclictest(text, file.string()));
  const TrialResult all{.cpus = cpu_results(runs.front())};
  return all.merged();
}

}  // namespace

Result<WhatIf> measure_what_if(const RunDirectory& run, const PlannedTrial& trial,
                               const RerunOptions& options, const std::atomic<bool>& stop,
                               const Listener& listener) {
  if (run.plan().probe != "cyclictest") {
    return Error(Errc::kNotSupported,
                 "--what-if compares what cyclictest measures, not " + run.plan().probe);
  }
  RTSWEEP_TRY(LatencyHistogram before, latencies(run.trial_directory(trial)));
  listener("measuring the trial again with " + options.parameter);
  RTSWEEP_CHECK_OK(rerun_trial(run, trial, options, stop, [](std::string_view) {}));
  RTSWEEP_TRY(LatencyHistogram after, latencies(options.directory));
  return WhatIf{options.parameter, std::move(before), std::move(after)};
}

}  // namespace rtsweep
