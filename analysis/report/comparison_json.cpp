// SPDX-License-Identifier: GPL-2.0-or-later

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/report/comparison.h"

namespace rtsweep {
namespace {

// Keeps the keys in the order they are written in.
using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

// Infinite and unknown numbers are null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

template <typename T>
Json known(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const ComparedSide& side) {
  return {{"run", side.run},
          {"levels", Json(side.levels)},
          {"trials", side.usable},
          {"not_usable", side.unusable}};
}

Json json_of(const statistics::Endpoint& endpoint) {
  return {{"ratio", number(endpoint.ratio.ratio())},
          {"interval_90", {number(endpoint.interval.lower), number(endpoint.interval.upper)}},
          {"margin", number(endpoint.margin)},
          {"p_worse", number(endpoint.p_worse)},
          {"p_sign_flip", known(endpoint.sign_flip_p)},
          {"p_reaches_margin", number(endpoint.p_reaches_margin)},
          {"degrees_of_freedom", number(endpoint.ratio.degrees)}};
}

Json json_of(const ComparedCell& cell) {
  const auto& result = cell.result;
  Json json = {{"cell", Json(cell.cell)},
               {"clock", cell.virtual_clock ? "virtual" : "real"},
               {"answer", statistics::answer_name(result.answer)},
               {"improved", result.improved},
               {"old_trials", result.old_runs},
               {"new_trials", result.new_runs},
               {"interleaved", result.interleaved},
               {"tested", result.tested},
               {"p_worse", number(result.p_worse)},
               {"p_worse_in_family", number(result.p_worse_in_family)},
               {"pairs_missing", known(result.pairs_missing)},
               {"typical_worst", json_of(result.typical_worst)},
               {"run_maximum", json_of(result.run_maximum)},
               {"text", cell.sentence}};
  if (!cell.not_comparable.empty()) json["not_comparable"] = cell.not_comparable;
  return json;
}

template <typename T>
Json list(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(json_of(value));
  return array;
}

Json cells_of(const std::vector<Cell>& cells) {
  Json array = Json::array();
  for (const Cell& cell : cells) array.push_back(Json(cell));
  return array;
}

}  // namespace

std::string render_comparison_json(const RunComparison& comparison) {
  const Json json = {{"schema", kSchema},
                     {"answer", statistics::answer_name(comparison.answer())},
                     {"old", json_of(comparison.old_side)},
                     {"new", json_of(comparison.new_side)},
                     {"rules",
                      {{"alpha", comparison.rules.alpha},
                       {"typical_worst_margin", comparison.rules.typical_margin},
                       {"run_maximum_margin", comparison.rules.maximum_margin},
                       {"power", comparison.rules.power}}},
                     {"cells", list(comparison.cells)},
                     {"only_old", cells_of(comparison.only_old)},
                     {"only_new", cells_of(comparison.only_new)}};
  // Names come from other people's files: what is not UTF-8 is replaced.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rtsweep
