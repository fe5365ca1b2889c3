// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/cli/error_rates_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace rtsweep {
namespace {

using nlohmann::json;
using simulation::CompareRates;
using simulation::Coverage;
using simulation::ErrorRates;
using simulation::Refused;

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

std::string compare_row(const CompareRates& rates) {
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", rates.model,
                     rates.pairs, rates.cells, percent(rates.false_alarm), percent(rates.power_20),
                     percent(rates.power_50), percent(rates.power_rare_20),
                     percent(rates.matrix_alarm), percent(rates.single_alarm),
                     percent(rates.single_power_20));
}

std::string compare_table(const ErrorRates& rates) {
  std::string text =
      "compare, in % of the cells: called worse when nothing changed, when the tail is 20 % or\n"
      "50 % longer, when only a path taken twice an hour is 20 % longer; matrices of 48 unchanged\n"
      "cells with any false alarm; and a cell compared alone\n\n"
      "| model | pairs | cells | no change | +20 % | +50 % | rare +20 % | matrices | alone, no "
      "change | alone, +20 % |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const auto* rows : {&rates.compare, &rates.other_models}) {
    for (const CompareRates& row : *rows) text += compare_row(row);
  }
  return text;
}

std::string coverage_table(const std::string& title, const std::vector<Coverage>& rows) {
  std::string text = title +
                     "\n\n| what | data | covers | given | replications | published |\n"
                     "|---|---|---:|---:|---:|---:|\n";
  for (const Coverage& row : rows) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", row.what, row.model,
                        percent(row.coverage), percent(row.given), row.replications,
                        row.published > 0 ? percent(row.published) : ">= 95");
  }
  return text;
}

std::string refusals_table(const std::vector<Refused>& rows) {
  std::string text =
      "Levels refused, in % of the data sets\n\n"
      "| data | refused | replications |\n|---|---:|---:|\n";
  for (const Refused& row : rows) {
    text += fmt::format("| {} | {} | {} |\n", row.what, percent(row.refused), row.replications);
  }
  return text;
}

json json_of(const CompareRates& rates) {
  return {{"model", rates.model},
          {"pairs", rates.pairs},
          {"cells", rates.cells},
          {"matrices", rates.matrices},
          {"false_alarm", rates.false_alarm},
          {"power_20", rates.power_20},
          {"power_50", rates.power_50},
          {"power_rare_20", rates.power_rare_20},
          {"matrix_false_alarm", rates.matrix_alarm},
          {"single_false_alarm", rates.single_alarm},
          {"single_power_20", rates.single_power_20}};
}

json json_of(const Coverage& row) {
  return {{"what", row.what},
          {"model", row.model},
          {"coverage", row.coverage},
          {"given", row.given},
          {"replications", row.replications},
          {"published", row.published > 0 ? json(row.published) : json()},
          {"agrees", row.agrees()}};
}

json json_of(const Refused& row) {
  return {{"what", row.what},
          {"refused", row.refused},
          {"at_least", row.at_least},
          {"replications", row.replications}};
}

template <typename Row>
json array_of(const std::vector<Row>& rows) {
  json array = json::array();
  for (const Row& row : rows) array.push_back(json_of(row));
  return array;
}

}  // namespace

std::string error_rates_text(const ErrorRates& rates) {
  std::string text =
      compare_table(rates) + "\n" +
      coverage_table("Intervals of 95 % that hold the truth, in %", rates.quantiles) + "\n" +
      coverage_table("Levels exceeded once in a time, 95 % intervals that hold the truth, in %",
                     rates.return_levels) +
      "\n" + refusals_table(rates.refused) + "\n";
  const auto missed = rates.missed();
  for (const std::string& sentence : missed) text += "MISSED: " + sentence + "\n";
  if (missed.empty()) text += "All error rates are as stated.\n";
  return text;
}

json error_rates_json(const ErrorRates& rates) {
  const auto missed = rates.missed();
  return {{"schema", 1},
          {"compare", array_of(rates.compare)},
          {"other_models", array_of(rates.other_models)},
          {"quantiles", array_of(rates.quantiles)},
          {"return_levels", array_of(rates.return_levels)},
          {"refusals", array_of(rates.refused)},
          {"missed", missed},
          {"good", missed.empty()}};
}

}  // namespace rtsweep
