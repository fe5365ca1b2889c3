// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/run/outlier_causes.h"

#include <nlohmann/json.hpp>

#include "analysis/trace/explain.h"
#include "analysis/trace/explanation_text.h"
#include "runner/base/files.h"
#include "runner/capture/trace_dat/trace_dat_file.h"
#include "runner/measure/trial_sink.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Explanation unreadable(const CapturedOutlier& outlier, const Error& error) {
  return {.source = outlier.file,
          .subject = "trace of a latency of " + std::to_string(outlier.latency_us) + " us",
          .headline = "Unknown: the trace cannot be read: " + error.message()};
}

// A file's name from capture.json: never a way out of the trial's directory.
Result<fs::path> trace_path(const fs::path& directory, const CapturedOutlier& outlier) {
  const fs::path name(outlier.file);
  if (!name.empty() && name.filename() == name && name != ".." && name != ".") {
    return directory / name;
  }
  return Error(Errc::kBadData, (directory / trial_file::kCapture).string() + ": '" + outlier.file +
                                   "' is no name of a trace");
}

}  // namespace

Result<CaptureResult> read_capture(const fs::path& trial_directory) {
  const fs::path file = trial_directory / trial_file::kCapture;
  std::error_code ec;
  if (!fs::exists(file, ec)) {
    return Error(Errc::kNotSupported, trial_directory.string() +
                                          " has no traces: its plan sets no breakpoint_us, or "
                                          "nothing was measured");
  }
  RTSWEEP_TRY(const std::string text, read_file(file));
  try {
    return json::parse(text).get<CaptureResult>();
  } catch (const json::exception& wrong) {
    return Error(Errc::kBadData, file.string() + ": " + wrong.what());
  }
}

Result<ExplainedOutlier> explain_outlier(const fs::path& trial_directory,
                                         const CapturedOutlier& outlier) {
  RTSWEEP_TRY(const fs::path file, trace_path(trial_directory, outlier));
  const ExplainOptions options{.known = KnownLatency{.latency_us = outlier.latency_us,
                                                     .end_ns = outlier.at_us * 1000,
                                                     .pid = outlier.pid}};
  RTSWEEP_TRY(std::vector<Trace> traces, read_trace_dat_apart(file, options));
  if (traces.empty()) return Error(Errc::kBadData, file.string() + ": holds no events");
  Trace& trace = traces.front();
  trace.source = outlier.file;
  ExplainedOutlier found{.explanation = explain(trace, options)};
  found.timeline = timeline_picture(trace, found.explanation);
  return found;
}

Result<void> keep_explanations(const fs::path& trial_directory) {
  const auto capture = read_capture(trial_directory);
  if (!capture && capture.error().code() == Errc::kNotSupported) return {};
  if (!capture) return capture.error();
  if (capture->outliers.empty()) return {};
  std::vector<Explanation> explanations;
  std::vector<std::optional<TimelinePicture>> timelines;
  for (const CapturedOutlier& outlier : capture->outliers) {
    auto found = explain_outlier(trial_directory, outlier);
    explanations.push_back(found ? std::move(found->explanation)
                                 : unreadable(outlier, found.error()));
    timelines.push_back(found ? std::move(found->timeline) : std::nullopt);
  }
  RTSWEEP_CHECK_OK(write_file_durably(trial_directory / kTimelinesFile, timelines_json(timelines)));
  return write_file_durably(trial_directory / kExplanationsFile,
                            explanations_json(explanations).dump(1) + "\n");
}

}  // namespace rtsweep
