// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/simulation/error_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>

namespace rtsweep::simulation {
namespace {

constexpr size_t kCellsPerMatrix = 48;
constexpr double kLeastAlarm = 0.04;
constexpr double kMostAlarm = 0.06;

struct LeastPower {
  size_t pairs;
  double power_20;
};
constexpr LeastPower kLeastPowers[] = {{3, 0.50}, {5, 0.70}, {10, 0.92}};

double least_power(size_t pairs) {
  for (const LeastPower& least : kLeastPowers) {
    if (least.pairs == pairs) return least.power_20;
  }
  return 0;
}

void check(const CompareRates& rates, std::vector<std::string>& missed) {
  const auto miss = [&](const char* what, double is, const char* bound, double wanted) {
    missed.push_back(fmt::format("compare with {} pairs: {} {:.1f} %, wanted {} {:.1f} %",
                                 rates.pairs, what, 100 * is, bound, 100 * wanted));
  };
  if (rates.false_alarm < kLeastAlarm) miss("false alarms", rates.false_alarm, ">=", kLeastAlarm);
  if (rates.false_alarm > kMostAlarm) miss("false alarms", rates.false_alarm, "<=", kMostAlarm);
  if (rates.matrix_alarm > kMostAlarm) {
    miss("matrices with a false alarm", rates.matrix_alarm, "<=", kMostAlarm);
  }
  if (rates.power_20 < least_power(rates.pairs)) {
    miss("found of +20 %", rates.power_20, ">=", least_power(rates.pairs));
  }
}

void check(const Coverage& row, std::vector<std::string>& missed) {
  if (row.agrees()) return;
  missed.push_back(fmt::format("{} ({}): covers {:.1f} %, published {:.1f} %", row.what, row.model,
                               100 * row.coverage, 100 * row.published));
}

}  // namespace

bool Coverage::agrees() const {
  const auto error = [](double share, double n) { return n > 0 ? share * (1 - share) / n : 0; };
  const auto n = static_cast<double>(replications);
  constexpr double kNominal = 0.95;
  // Without a published figure: at least what it says.
  if (published == 0) return coverage >= kNominal - 3 * std::sqrt(error(kNominal, n));
  return std::abs(coverage - published) <=
         3 * std::sqrt(error(published, n) + error(published, published_replications));
}

std::vector<std::string> ErrorRates::missed() const {
  std::vector<std::string> sentences;
  for (const CompareRates& rates : compare) check(rates, sentences);
  for (const CompareRates& rates : other_models) {
    if (rates.false_alarm <= kMostAlarm) continue;
    sentences.push_back(fmt::format("{}: false alarms {:.1f} %, wanted <= {:.1f} %", rates.model,
                                    100 * rates.false_alarm, 100 * kMostAlarm));
  }
  for (const auto* rows : {&quantiles, &return_levels}) {
    for (const Coverage& row : *rows) check(row, sentences);
  }
  for (const Refused& row : refused) {
    if (row.refused >= row.at_least) continue;
    sentences.push_back(fmt::format("{}: refused {:.1f} %, wanted >= {:.1f} %", row.what,
                                    100 * row.refused, 100 * row.at_least));
  }
  return sentences;
}

ErrorRates measure_error_rates(const Effort& effort) {
  const size_t matrices =
      std::max<size_t>(1, (effort.comparisons + kCellsPerMatrix - 1) / kCellsPerMatrix);
  const auto compare = [&](std::string model, size_t pairs, size_t count) {
    return std::async(std::launch::async, compare_rates_of,
                      CompareTask{std::move(model), pairs, count, kCellsPerMatrix});
  };
  std::vector<std::future<CompareRates>> main_model;
  for (const size_t pairs : {10, 5, 3}) main_model.push_back(compare("mixture", pairs, matrices));
  std::vector<std::future<CompareRates>> others;
  for (const char* model : {"quiet", "heavy"}) {
    others.push_back(compare(model, 5, std::max<size_t>(1, matrices / 4)));
  }
  auto quantiles = std::async(std::launch::async, quantile_coverage, effort.intervals);
  auto levels = std::async(std::launch::async, return_level_coverage, effort.levels);
  auto refused = std::async(std::launch::async, refusals, effort.levels);

  ErrorRates rates;
  for (auto& one : main_model) rates.compare.insert(rates.compare.begin(), one.get());
  for (auto& one : others) rates.other_models.push_back(one.get());
  rates.quantiles = quantiles.get();
  rates.return_levels = levels.get();
  rates.refused = refused.get();
  return rates;
}

}  // namespace rtsweep::simulation
