// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "analysis/correlate.h"
#include "analysis/trace/timeline_picture.h"
#include "analysis/trial_checks.h"
#include "runner/boot/target.h"

namespace rtsweep {

// What a trial's directory holds, read and parsed. A file that is missing is an empty
// optional; one that cannot be read leaves a line in `unreadable`.
struct RawTrial {
  std::optional<TrialEnd> end;
  std::optional<MachineFacts> before;
  std::optional<MachineFacts> after;
  std::optional<ProbeEnding> probe;
  std::optional<CyclictestRun> json;
  std::optional<CyclictestRun> text;
  std::optional<TracerResult> tracer;  // of timerlat, osnoise or hwlat
  std::vector<LoadResult> loads;
  std::optional<std::vector<TuningResult>> tuning;
  std::optional<MeasurementCounters> counters;
  std::optional<CaptureResult> capture;
  std::vector<std::string> causes;  // of its outliers, in their order; empty: not explained yet
  std::vector<std::optional<TimelinePicture>> timelines;  // likewise

  std::string numa_maps;
  std::vector<std::string> load_numa_maps;  // of each load
  std::string console;
  std::string kernel_log;
  std::string error;      // of the measuring code
  bool complete = false;  // it came to its end
  std::string probe_package;
  std::string probe_sha256;
  std::string unreadable;
};

RawTrial read_raw_trial(const std::filesystem::path& directory);

}  // namespace rtsweep
