// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analysis/statistics/moments.h"
#include "analysis/statistics/multiplicity.h"
#include "analysis/statistics/power.h"

namespace rtsweep::statistics {
namespace {

constexpr size_t kLeastNewRunsApart = 2;
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

std::vector<double> values_of(const std::vector<RunStatistics>& runs, Reading reading) {
  std::vector<double> values;
  for (const RunStatistics& run : runs) values.push_back(run.*reading.value);
  return values;
}

double floor_of(const std::vector<RunStatistics>& runs, Reading reading) {
  double sum = 0;
  for (const RunStatistics& run : runs) sum += run.*reading.floor;
  return sum / static_cast<double>(runs.size());
}

size_t pairs_of(const CellRuns& cell) {
  return std::min(cell.old_runs.size(), cell.new_runs.size());
}

std::vector<double> differences(const CellRuns& cell, Reading reading) {
  std::vector<double> result;
  for (size_t i = 0; i < pairs_of(cell); ++i) {
    result.push_back(cell.new_runs[i].*reading.value - cell.old_runs[i].*reading.value);
  }
  return result;
}

// Rounding scatters both runs of a pair.
double floor_of_pairs(const CellRuns& cell, Reading reading) {
  return floor_of(cell.old_runs, reading) + floor_of(cell.new_runs, reading);
}

bool can_be_tested(const CellRuns& cell) {
  if (cell.interleaved) return pairs_of(cell) >= kLeastPairs;
  return cell.old_runs.size() >= kLeastOldRunsApart && cell.new_runs.size() >= kLeastNewRunsApart;
}

VariancePrior prior_over(std::span<const CellRuns> cells, Reading reading) {
  std::vector<SampleVariance> variances;
  double degrees = 0;
  for (const CellRuns& cell : cells) {
    if (!cell.interleaved || !can_be_tested(cell)) continue;
    const auto own = paired_ratio(differences(cell, reading), {}, floor_of_pairs(cell, reading));
    if (!(own.variance.variance > 0)) continue;
    variances.push_back(own.variance);
    degrees += own.variance.degrees;
  }
  if (variances.size() < kLeastCellsForPrior) return {};
  VariancePrior prior = fit_variance_prior(variances);
  prior.most_degrees = degrees;
  return prior;
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

Endpoint endpoint_of(const CellRuns& cell, Reading reading, VariancePrior prior, double margin) {
  Endpoint endpoint{.margin = margin};
  if (cell.interleaved) {
    const auto values = differences(cell, reading);
    endpoint.ratio = paired_ratio(values, prior, floor_of_pairs(cell, reading));
    check_by_signs(endpoint, values);
  } else {
    endpoint.ratio =
        unpaired_ratio(values_of(cell.old_runs, reading), values_of(cell.new_runs, reading),
                       floor_of_pairs(cell, reading) / 2);
    endpoint.p_worse = endpoint.ratio.p_worse();
  }
  endpoint.interval = endpoint.ratio.interval();
  endpoint.p_reaches_margin = endpoint.ratio.p_reaches(margin);
  return endpoint;
}

// The ratio that was seen, when there are too few runs to say how sure it is.
Endpoint seen_only(const CellRuns& cell, Reading reading, double margin) {
  const double ratio =
      mean(values_of(cell.new_runs, reading)) - mean(values_of(cell.old_runs, reading));
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  return {.ratio = {.log_ratio = ratio, .standard_error = kOpen, .variance = {}},
          .margin = margin,
          .interval = {0, kOpen}};
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
  if (!cell.interleaved) return std::nullopt;
  const uint64_t pairs = std::min(cell.old_runs, cell.new_runs);
  const auto typical = pairs_in_all(cell.typical_worst, rules, pairs);
  const auto maximum = pairs_in_all(cell.run_maximum, rules, pairs);
  if (!typical || !maximum) return std::nullopt;
  return std::max({*typical, *maximum, pairs + 1}) - pairs;
}

CellComparison test_cell(const CellRuns& runs, VariancePrior typical_prior,
                         VariancePrior maximum_prior, const CompareRules& rules) {
  CellComparison cell{.old_runs = runs.old_runs.size(),
                      .new_runs = runs.new_runs.size(),
                      .interleaved = runs.interleaved,
                      .tested = can_be_tested(runs)};
  if (!cell.tested) {
    cell.typical_worst = seen_only(runs, kTypicalWorst, rules.typical_margin);
    cell.run_maximum = seen_only(runs, kRunMaximum, rules.maximum_margin);
    return cell;
  }
  cell.typical_worst = endpoint_of(runs, kTypicalWorst, typical_prior, rules.typical_margin);
  cell.run_maximum = endpoint_of(runs, kRunMaximum, maximum_prior, rules.maximum_margin);
  cell.p_worse = either(cell.typical_worst.p_worse, cell.run_maximum.p_worse);
  return cell;
}

void conclude(CellComparison& cell, const CompareRules& rules) {
  if (!cell.tested) return;
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

std::vector<CellComparison> compare_cells(std::span<const CellRuns> cells,
                                          const CompareRules& rules) {
  const VariancePrior typical_prior = prior_over(cells, kTypicalWorst);
  const VariancePrior maximum_prior = prior_over(cells, kRunMaximum);
  std::vector<CellComparison> results;
  std::vector<double> p_values;
  for (const CellRuns& cell : cells) {
    results.push_back(test_cell(cell, typical_prior, maximum_prior, rules));
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
