// SPDX-License-Identifier: GPL-2.0-or-later

#include <nlohmann/json.hpp>

#include "analysis/report/html.h"
#include "analysis/report/plain_text.h"

namespace rtsweep {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json known(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// [latency, samples, latency - the one before, samples, ...]: half the size of pairs.
Json counts_of(const LatencyHistogram& histogram) {
  Json counts = Json::array();
  int64_t before = 0;
  for (const auto& [latency, times] : histogram.counts()) {
    counts.push_back(latency.count() - before);
    counts.push_back(times);
    before = latency.count();
  }
  return counts;
}

Json cpu_of(const CpuResult& cpu) {
  return {{"cpu", cpu.cpu},
          {"max", known(cpu.max_us)},
          {"end", cpu.histogram.limit().count()},
          {"over", cpu.histogram.overflows()},
          {"counts", counts_of(cpu.histogram)}};
}

Json trial_of(const ReportCells& cells, const TrialResult& trial) {
  const Numbers numbers = numbers_of(trial);
  Json levels = Json::array();
  for (const std::string& factor : cells.factors()) {
    levels.push_back(trial.cell.contains(factor) ? Json(cells.level_index(trial.cell, factor))
                                                 : Json(-1));
  }
  Json cpus = Json::array();
  for (const CpuResult& cpu : trial.cpus) {
    if (trial.usable()) cpus.push_back(cpu_of(cpu));
  }
  Json quantiles = Json::object();
  for (const uint64_t ppm : kReportQuantilesPpm) {
    quantiles[quantile_name(ppm)] = known(numbers.quantile_us(ppm));
  }
  return {{"id", trial.id},
          {"levels", std::move(levels)},
          {"repetition", trial.repetition},
          {"verdict", verdict_name(trial.verdict)},
          {"unfinished", is_unfinished(trial)},
          {"clock", trial.virtual_clock ? "virtual" : "real"},
          {"name", printable(cells.configuration(trial.cell))},
          {"limit", known(trial.limit_us)},
          {"samples", numbers.samples},
          {"avg", known(numbers.avg_us)},
          {"max", known(numbers.max_us)},
          {"quantiles", std::move(quantiles)},
          {"cpus", std::move(cpus)}};
}

// No "</script>" and no "<!--" can stand in it.
std::string safe_in_script(std::string json) {
  for (size_t at = 0; (at = json.find('<', at)) != std::string::npos; at += 6) {
    json.replace(at, 1, "\\u003c");
  }
  return json;
}

}  // namespace

std::string html_data(const RunReport& report, const ReportCells& cells,
                      std::string_view timelines) {
  Json factors = Json::array();
  for (const std::string& factor : cells.factors()) {
    Json levels = Json::array();
    for (const std::string& level : cells.levels(factor)) levels.push_back(printable(level));
    factors.push_back({{"name", printable(factor)}, {"levels", std::move(levels)}});
  }
  Json trials = Json::array();
  for (const TrialResult& trial : report.trials) trials.push_back(trial_of(cells, trial));
  const Json data = {{"factors", std::move(factors)}, {"trials", std::move(trials)}};
  std::string text = data.dump();
  text.insert(text.size() - 1, ",\"timelines\":" + std::string(timelines));
  return safe_in_script(std::move(text));
}

}  // namespace rtsweep
