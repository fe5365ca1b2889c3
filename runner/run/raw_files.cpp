// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/run/raw_files.h"

#include <nlohmann/json.hpp>

#include "analysis/cyclictest_merge.h"
#include "analysis/exact_tail.h"
#include "analysis/trace/explanation_json.h"
#include "runner/base/files.h"
#include "runner/boot/vm_results.h"
#include "runner/measure/load_runner.h"
#include "runner/measure/measure_trial.h"
#include "runner/measure/probe.h"
#include "runner/run/outlier_causes.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Reader {
 public:
  Reader(const fs::path& directory, RawTrial& trial) : directory_(directory), trial_(trial) {}

  std::string text(const char* name) const {
    const fs::path file = directory_ / name;
    if (!fs::exists(file)) return {};
    auto content = read_file(file);
    if (!content) unreadable(content.error());
    return content ? std::move(content).value() : std::string();
  }

  // The file as a T; empty when it is not there or is not what it should be.
  template <typename T>
  std::optional<T> value(const char* name) const {
    const std::string content = text(name);
    if (content.empty()) return std::nullopt;
    try {
      return json::parse(content).get<T>();
    } catch (const json::exception& wrong) {
      unreadable(Error(Errc::kBadData, std::string(name) + ": " + wrong.what()));
      return std::nullopt;
    }
  }

  // All parts as one, with exact values past the histogram's end where they are known.
  std::optional<CyclictestRun> cyclictest(const char* name) const {
    std::vector<CyclictestRun> parts;
    for (int part = 1;; ++part) {
      auto run = one_run(trial_file::probe_part(name, part));
      if (!run) break;
      parts.push_back(std::move(*run));
    }
    if (parts.empty()) return std::nullopt;
    CyclictestRun merged = merge_cyclictest(parts);
    return trial_.capture ? with_exact_tail(std::move(merged), *trial_.capture) : merged;
  }

 private:
  std::optional<CyclictestRun> one_run(const std::string& name) const {
    const std::string content = text(name.c_str());
    if (content.empty()) return std::nullopt;
    auto runs = parse_cyclictest(content, name);
    if (!runs) {
      unreadable(runs.error());
      return std::nullopt;
    }
    if (runs->size() == 1) return std::move(runs->front());
    unreadable(Error(Errc::kBadData, name + ": not one run of cyclictest"));
    return std::nullopt;
  }

  void unreadable(const Error& error) const {
    if (!trial_.unreadable.empty()) trial_.unreadable += "; ";
    trial_.unreadable += error.message();
  }

  const fs::path& directory_;
  RawTrial& trial_;
};

}  // namespace

RawTrial read_raw_trial(const fs::path& directory) {
  RawTrial trial;
  const Reader reader(directory, trial);
  trial.end = reader.value<TrialEnd>(kEndFile);
  trial.before = reader.value<MachineFacts>(trial_file::kFactsBefore);
  trial.after = reader.value<MachineFacts>(trial_file::kFactsAfter);
  if (const auto end = reader.value<ProbeEnd>(trial_file::kProbe)) {
    trial.probe = {.exit_code = end->exit_code,
                   .signal = end->signal,
                   .timed_out = end->timed_out,
                   .disk_full = end->disk_full,
                   .wall_s = end->wall_s};
  }
  trial.capture = reader.value<CaptureResult>(trial_file::kCapture);
  if (const auto explained = parse_explanations(reader.text(kExplanationsFile))) {
    for (const Explanation& one : *explained) trial.causes.push_back(one.headline);
  }
  if (auto timelines = parse_timelines(reader.text(kTimelinesFile))) {
    trial.timelines = std::move(*timelines);
  }
  trial.json = reader.cyclictest(trial_file::kProbeJson);
  trial.text = reader.cyclictest(trial_file::kProbeText);
  for (const ProbeKind& kind : probe_kinds()) {
    if (main_kind(kind.name).empty()) continue;
    const std::string file = std::string(kind.name) + ".json";
    if (auto result = reader.value<TracerResult>(file.c_str())) trial.tracer = std::move(result);
  }
  trial.loads = reader.value<std::vector<LoadResult>>(trial_file::kLoads).value_or(trial.loads);
  trial.tuning = reader.value<std::vector<TuningResult>>(trial_file::kTuning);
  trial.counters = reader.value<MeasurementCounters>(trial_file::kCounters);
  trial.numa_maps = reader.text(trial_file::kNumaMaps);
  for (size_t i = 0; i < trial.loads.size(); ++i) {
    trial.load_numa_maps.push_back(reader.text(trial_file::load_numa_maps(i).c_str()));
  }
  trial.kernel_log = reader.text(trial_file::kKernelLog);
  trial.console = reader.text(kConsoleFile);
  if (const auto error = reader.value<json>(trial_file::kError)) {
    trial.error = error->value("message", "");
  }
  trial.complete = !reader.text(trial_file::kComplete).empty();
  if (const auto identity = reader.value<json>(kIdentityFile)) {
    trial.probe_package = identity->value("probe_package", "");
    trial.probe_sha256 = identity->value("probe_sha256", "");
  }
  return trial;
}

}  // namespace rtsweep
