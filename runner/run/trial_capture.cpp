// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/run/trial_capture.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/trace/explanation_json.h"
#include "runner/base/files.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string text_of(const fs::path& file) {
  std::error_code ec;
  if (!fs::exists(file, ec)) return {};
  auto text = read_file(file);
  return text ? *std::move(text) : std::string();
}

std::vector<OutlierResult> outliers_of(const json& capture) {
  std::vector<OutlierResult> outliers;
  for (const json& one : capture.value("outliers", json::array())) {
    outliers.push_back({.latency_us = one.value("latency_us", int64_t{0}),
                        .cpu = one.value("cpu", -1),
                        .trace = one.value("file", "")});
  }
  return outliers;
}

void add_outliers(TrialResult& result, const std::string& capture, const fs::path& directory) {
  try {
    result.outliers = outliers_of(json::parse(capture));
  } catch (const json::exception&) {
    return;  // trial_checks says what is wrong with the file
  }
  const auto explanations = parse_explanations(text_of(directory / kExplanationsFile));
  if (!explanations) return;
  for (size_t i = 0; i < std::min(result.outliers.size(), explanations->size()); ++i) {
    result.outliers[i].cause = (*explanations)[i].headline;
  }
}

int64_t us_of(const std::optional<double>& seconds) {
  return seconds ? std::llround(*seconds * 1e6) : 0;
}

std::vector<LoadPhase> phases_of(const std::string& text) {
  std::vector<LoadPhase> phases;
  try {
    for (const json& one : json::parse(text)) {
      phases.push_back({.name = one.at("name").get<std::string>(),
                        .begin_us = one.at("begin_us").get<int64_t>(),
                        .end_us = one.at("end_us").get<int64_t>()});
    }
  } catch (const json::exception&) {
    return {};
  }
  return phases;
}

}  // namespace

std::vector<LatencyHit> parse_hits(std::string_view capture_json) {
  std::vector<LatencyHit> hits;
  try {
    const json capture = json::parse(capture_json);
    for (const json& one : capture.value("hits", json::array())) {
      hits.push_back({.at_us = one.at("at_us").get<int64_t>(),
                      .latency_us = one.at("latency_us").get<int64_t>(),
                      .cpu = one.value("cpu", -1)});
    }
  } catch (const json::exception&) {
    return {};
  }
  return hits;
}

void add_capture(TrialResult& result, const fs::path& directory, int64_t interval_us) {
  const std::string capture = text_of(directory / kCaptureFile);
  if (capture.empty()) return;
  if (result.outliers.empty()) add_outliers(result, capture, directory);
  if (auto timelines = parse_timelines(text_of(directory / kTimelinesFile))) {
    result.timelines = *std::move(timelines);
  }
  if (!result.counters) return;
  TrialCourse course{.hits = parse_hits(capture),
                     .begin_us = us_of(result.counters->begin.monotonic_s),
                     .end_us = us_of(result.counters->end.monotonic_s),
                     .interval_us = interval_us,
                     .phases = phases_of(text_of(directory / kPhasesFile)),
                     .counters = result.counters};
  for (const CpuResult& cpu : result.cpus) course.cpus.push_back(cpu.cpu);
  result.correlations = correlate(course);
}

}  // namespace rtsweep
