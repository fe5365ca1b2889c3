// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/compare.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/statistics/multiplicity.h"
#include "analysis/statistics/power.h"

namespace rtsweep::statistics {
namespace {

constexpr size_t kLeastPairs = 2;
constexpr size_t kLeastPairsForSigns = 6;
constexpr size_t kMostPairsForSigns = 16;
constexpr double kSignsDisagree = 3;

// How one of the two numbers is read off a run.
struct Reading {
  double RunStatistics::*value;
  double RunStatistics::*floor;
};

constexpr Reading kTypicalWorst{&RunStatistics::typical_worst, &RunStatistics::typical_worst_floor};
constexpr Reading kRunMaximum{&RunStatistics::run_maximum, &RunStatistics::run_maximum_floor};

std::vector<double> differences(const std::vector<RunPair>& pairs, Reading reading) {
  std::vector<double> result;
  for (const RunPair& pair : pairs) {
    result.push_back(pair.new_run.*reading.value - pair.old_run.*reading.value);
  }
  return result;
}

// Rounding scatters both runs of a pair.
double floor_of(const std::vector<RunPair>& pairs, Reading reading) {
  double sum = 0;
  for (const RunPair& pair : pairs) {
    sum += pair.new_run.*reading.floor + pair.old_run.*reading.floor;
  }
  return sum / static_cast<double>(pairs.size());
}

VariancePrior prior_over(std::span<const std::vector<RunPair>> cells, Reading reading) {
  std::vector<SampleVariance> variances;
  for (const auto& pairs : cells) {
    if (pairs.size() < kLeastPairs) continue;
    const auto own = paired_ratio(differences(pairs, reading), {}, floor_of(pairs, reading));
    if (own.variance.variance > 0) variances.push_back(own.variance);
  }
  if (variances.size() < kLeastCellsForPrior) return {};
  return fit_variance_prior(variances);
}

void check_by_signs(Endpoint& endpoint, std::span<const double> values) {
  endpoint.p_worse = endpoint.ratio.p_worse();
  if (values.size() < kLeastPairsForSigns || values.size() > kMostPairsForSigns) return;
  endpoint.sign_flip_p = exact_sign_flips(values)->worse;
  const double least = std::pow(2.0, -static_cast<double>(values.size()));
  const double by_t = std::max(endpoint.p_worse, least);
  const double apart = std::max(by_t / *endpoint.sign_flip_p, *endpoint.sign_flip_p / by_t);
  if (apart > kSignsDisagree) endpoint.p_worse = *endpoint.sign_flip_p;
}

Endpoint endpoint_of(const std::vector<RunPair>& pairs, Reading reading, VariancePrior prior,
                     double margin) {
  const auto values = differences(pairs, reading);
  Endpoint endpoint{.ratio = paired_ratio(values, prior, floor_of(pairs, reading)),
                    .margin = margin};
  endpoint.interval = endpoint.ratio.interval();
  endpoint.p_reaches_margin = endpoint.ratio.p_reaches(margin);
  check_by_signs(endpoint, values);
  return endpoint;
}

Answer answer_of(bool worse, bool within_margin) {
  if (worse) return within_margin ? Answer::kWorseWithinMargin : Answer::kRegression;
  return within_margin ? Answer::kNoRegression : Answer::kUnclear;
}

// Pairs in all, so that a change of the margin's size would be found.
std::optional<uint64_t> pairs_in_all(const Endpoint& endpoint, const CompareRules& rules,
                                     size_t pairs) {
  const SampleVariance& seen = endpoint.ratio.variance;
  const double prior_degrees = seen.degrees - static_cast<double>(pairs - 1);
  return pairs_needed(endpoint.margin, seen.variance, prior_degrees, rules.alpha, rules.power);
}

std::optional<uint64_t> pairs_missing(const CellComparison& cell, const CompareRules& rules) {
  const auto typical = pairs_in_all(cell.typical_worst, rules, cell.pairs);
  const auto maximum = pairs_in_all(cell.run_maximum, rules, cell.pairs);
  if (!typical || !maximum) return std::nullopt;
  const uint64_t wanted = std::max({*typical, *maximum, uint64_t{cell.pairs} + 1});
  return wanted - cell.pairs;
}

CellComparison test_cell(const std::vector<RunPair>& pairs, VariancePrior typical_prior,
                         VariancePrior maximum_prior, const CompareRules& rules) {
  CellComparison cell{.pairs = pairs.size()};
  if (pairs.size() < kLeastPairs) return cell;
  cell.typical_worst = endpoint_of(pairs, kTypicalWorst, typical_prior, rules.typical_margin);
  cell.run_maximum = endpoint_of(pairs, kRunMaximum, maximum_prior, rules.maximum_margin);
  cell.p_worse = either(cell.typical_worst.p_worse, cell.run_maximum.p_worse);
  return cell;
}

void conclude(CellComparison& cell, const CompareRules& rules) {
  if (cell.pairs < kLeastPairs) return;
  // Both must be below their margin, each at alpha: an intersection needs no correction.
  const bool within = cell.typical_worst.p_reaches_margin <= rules.alpha &&
                      cell.run_maximum.p_reaches_margin <= rules.alpha;
  cell.answer = answer_of(cell.p_worse_in_family <= rules.alpha, within);
  const double p_better =
      either(cell.typical_worst.ratio.p_better(), cell.run_maximum.ratio.p_better());
  cell.improved = within && p_better <= rules.alpha;
  if (cell.answer == Answer::kUnclear) cell.pairs_missing = pairs_missing(cell, rules);
}

}  // namespace

std::string_view answer_name(Answer answer) {
  static constexpr std::array<std::string_view, 4> kNames = {"regression", "worse_within_margin",
                                                             "no_regression", "unclear"};
  return kNames.at(static_cast<size_t>(answer));
}

Answer answer_for(const LogRatio& ratio, double margin, double alpha) {
  return answer_of(ratio.p_worse() <= alpha, ratio.p_reaches(margin) <= alpha);
}

std::vector<CellComparison> compare_cells(std::span<const std::vector<RunPair>> cells,
                                          const CompareRules& rules) {
  const VariancePrior typical_prior = prior_over(cells, kTypicalWorst);
  const VariancePrior maximum_prior = prior_over(cells, kRunMaximum);
  std::vector<CellComparison> results;
  std::vector<double> p_values;
  for (const auto& pairs : cells) {
    results.push_back(test_cell(pairs, typical_prior, maximum_prior, rules));
    p_values.push_back(results.back().p_worse);
  }
  const auto adjusted = holm(p_values);
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].p_worse_in_family = adjusted[i];
    conclude(results[i], rules);
  }
  return results;
}

}  // namespace rtsweep::statistics
