// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/json_findings.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/report/cell_statistics.h"
#include "analysis/report/cells.h"
#include "analysis/run_findings.h"

namespace rtsweep {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json known(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// JSON has no infinity.
Json json_of(const statistics::Interval& interval) {
  const auto end = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  return Json::array({end(interval.lower), end(interval.upper)});
}

Json json_of(const statistics::Finding& finding) {
  Json json = {{"factor", finding.factor},
               {"level", finding.level},
               {"baseline", finding.baseline},
               {"under_factor", nullptr},
               {"under_level", nullptr},
               {"only_there", finding.extent == statistics::Extent::kOnlyUnder},
               {"ratio", finding.ratio},
               {"interval_95", json_of(finding.interval)},
               {"p_value", finding.p_value},
               {"p_interaction", finding.p_interaction},
               {"text", finding.sentence() + "."}};
  if (finding.extent != statistics::Extent::kEverywhere) {
    json["under_factor"] = finding.other_factor;
    json["under_level"] = finding.other_level;
  }
  return json;
}

Json json_of(const RunFindings& findings) {
  Json effects = Json::array();
  Json json = {{"clock", findings.virtual_clock ? "virtual" : "real"},
               {"text", findings.summary()}};
  if (findings.effects) {
    for (const auto& finding : findings.effects->findings) effects.push_back(json_of(finding));
    json["trials"] = findings.effects->runs;
    json["blocks"] = findings.effects->blocks;
    json["scatter"] = findings.effects->scatter;
    json["warnings"] = findings.effects->warnings;
  }
  json["effects"] = std::move(effects);
  return json;
}

Json json_of(const CellTrials& cell, const CellStatistics& statistics) {
  Json quantiles = Json::object();
  for (const CellQuantile& quantile : statistics.quantiles) {
    quantiles[quantile_name(quantile.ppm)] = {{"value", known(quantile.value_us)},
                                              {"lower", known(quantile.lower_us)},
                                              {"upper", known(quantile.upper_us)}};
  }
  return {{"cell", cell.cell},
          {"clock", cell.virtual_clock ? "virtual" : "real"},
          {"trials", statistics.trials},
          {"samples", statistics.samples},
          {"interval_unit", statistics.over_trials ? "trial" : "sample"},
          {"quantiles_us", std::move(quantiles)},
          {"least_max_us", statistics.least_max_us},
          {"median_max_us", statistics.median_max_us},
          {"most_max_us", statistics.most_max_us},
          {"max_scatter", known(statistics.max_scatter)},
          {"proven_tail", statistics.proven_tail},
          {"text", statistics.sentence()}};
}

}  // namespace

Json json_of_findings(const RunReport& report) {
  Json list = Json::array();
  for (const RunFindings& findings : find_in(report)) list.push_back(json_of(findings));
  return list;
}

Json json_of_cells(const RunReport& report) {
  Json list = Json::array();
  const ReportCells cells(report);
  for (const CellTrials& cell : cells.cells()) {
    if (const auto statistics = statistics_of_cell(cell))
      list.push_back(json_of(cell, *statistics));
  }
  return list;
}

}  // namespace rtsweep
