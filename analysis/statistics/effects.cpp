// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/statistics/anova.h"
#include "analysis/statistics/distributions.h"
#include "analysis/statistics/moments.h"
#include "analysis/statistics/multiplicity.h"

namespace rtsweep::statistics {
namespace {

constexpr double kMostLost = 0.1;
constexpr double kUnequalScatter = 3;

using Blocks = std::map<std::string, std::vector<DesignRun>>;

Blocks by_block(const std::vector<DesignRun>& runs) {
  Blocks blocks;
  for (const DesignRun& run : runs) blocks[run.block].push_back(run);
  return blocks;
}

size_t cells_of(const std::vector<DesignFactor>& factors) {
  size_t cells = 1;
  for (const DesignFactor& factor : factors) cells *= factor.levels.size();
  return cells;
}

bool is_whole(const std::vector<DesignRun>& block, size_t cells) {
  std::set<std::vector<size_t>> seen;
  for (const DesignRun& run : block) seen.insert(run.levels);
  return block.size() == cells && seen.size() == cells;
}

// The runs of whole blocks.
Result<std::vector<DesignRun>> balanced(const std::vector<DesignFactor>& factors,
                                        const std::vector<DesignRun>& runs, Effects& effects) {
  std::vector<DesignRun> kept;
  for (const auto& [name, block] : by_block(runs)) {
    if (!is_whole(block, cells_of(factors))) {
      effects.warnings.push_back(fmt::format("block {} lacks cells and is left out", name));
      continue;
    }
    kept.insert(kept.end(), block.begin(), block.end());
    ++effects.blocks;
  }
  if (effects.blocks < 2) {
    return Error(Errc::kBadData, fmt::format("{} whole block{}: two at least are needed",
                                             effects.blocks, effects.blocks == 1 ? "" : "s"));
  }
  const auto lost = static_cast<double>(runs.size() - kept.size());
  if (lost > kMostLost * static_cast<double>(runs.size())) {
    return Error(Errc::kBadData, fmt::format("{} of {} runs are in blocks that lack cells: over a "
                                             "tenth cannot be left out",
                                             lost, runs.size()));
  }
  return kept;
}

// The analysis of one matrix: contrasts of means, all with the same mean square error.
class Matrix {
 public:
  Matrix(const std::vector<DesignFactor>& factors, const std::vector<DesignRun>& runs, double alpha)
      : factors_(factors), runs_(runs), alpha_(alpha) {}

  Result<void> analyse();
  std::vector<Finding> findings() const;
  const Anova& anova() const { return anova_; }

 private:
  // The mean of the runs at these levels of these factors.
  struct Where {
    size_t factor;
    size_t level;
  };
  struct Average {
    double value = 0;
    double runs = 0;
  };
  Average average(std::initializer_list<Where> where) const;
  Finding contrast(size_t factor, size_t level, const Average& of, const Average& baseline) const;
  std::vector<Finding> own(size_t factor) const;
  std::vector<Finding> simple(size_t factor, size_t other, double p_interaction) const;
  void keep_significant(std::vector<Finding>& findings) const;

  const std::vector<DesignFactor>& factors_;
  const std::vector<DesignRun>& runs_;
  double alpha_;
  Anova anova_;
  std::map<std::pair<size_t, size_t>, double> p_interactions_;  // adjusted
};

Result<void> Matrix::analyse() {
  std::map<std::string, size_t> blocks;
  std::vector<Factor> columns(factors_.size() + 1);
  columns[0].name = "block";
  for (size_t f = 0; f < factors_.size(); ++f) columns[f + 1].name = factors_[f].name;
  std::vector<double> values;
  for (const DesignRun& run : runs_) {
    columns[0].levels.push_back(blocks.emplace(run.block, blocks.size()).first->second);
    for (size_t f = 0; f < factors_.size(); ++f) columns[f + 1].levels.push_back(run.levels[f]);
    values.push_back(run.value);
  }
  const auto terms = main_effects_and_pairs(columns.size(), 0);
  RTSWEEP_TRY(anova_, analyse_variance(values, columns, terms));
  std::vector<double> p_values;
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].size() != 2) continue;
    pairs.emplace_back(terms[i][0] - 1, terms[i][1] - 1);
    p_values.push_back(anova_.rows[i].p_value);
  }
  const auto adjusted = holm(p_values);
  for (size_t i = 0; i < pairs.size(); ++i) p_interactions_[pairs[i]] = adjusted[i];
  return {};
}

Matrix::Average Matrix::average(std::initializer_list<Where> where) const {
  Average result;
  for (const DesignRun& run : runs_) {
    const bool here = std::all_of(where.begin(), where.end(), [&](const Where& at) {
      return run.levels[at.factor] == at.level;
    });
    if (!here) continue;
    result.value += run.value;
    result.runs += 1;
  }
  result.value /= result.runs;
  return result;
}

Finding Matrix::contrast(size_t factor, size_t level, const Average& of,
                         const Average& baseline) const {
  const auto degrees = static_cast<double>(anova_.residual_degrees);
  const double error = std::sqrt(anova_.residual_mean_square * (1 / of.runs + 1 / baseline.runs));
  const double difference = of.value - baseline.value;
  const double half = t_quantile(0.975, degrees) * error;
  Finding finding;
  finding.factor = factors_[factor].name;
  finding.level = factors_[factor].levels[level];
  finding.baseline = factors_[factor].levels[0];
  finding.ratio = std::exp(difference);
  finding.interval = {std::exp(difference - half), std::exp(difference + half)};
  finding.p_value = 2 * t_upper(std::abs(difference) / error, degrees);
  return finding;
}

std::vector<Finding> Matrix::own(size_t factor) const {
  std::vector<Finding> findings;
  for (size_t level = 1; level < factors_[factor].levels.size(); ++level) {
    findings.push_back(contrast(factor, level, average({{factor, level}}), average({{factor, 0}})));
  }
  keep_significant(findings);
  return findings;
}

// The factor's effect at each level of another one.
std::vector<Finding> Matrix::simple(size_t factor, size_t other, double p_interaction) const {
  std::vector<Finding> findings;
  for (size_t level = 1; level < factors_[factor].levels.size(); ++level) {
    for (size_t place = 0; place < factors_[other].levels.size(); ++place) {
      findings.push_back(contrast(factor, level, average({{factor, level}, {other, place}}),
                                  average({{factor, 0}, {other, place}})));
      findings.back().other_factor = factors_[other].name;
      findings.back().other_level = factors_[other].levels[place];
      findings.back().p_interaction = p_interaction;
    }
  }
  keep_significant(findings);
  std::map<std::string, int> places;
  for (const Finding& finding : findings) ++places[finding.level];
  for (Finding& finding : findings) {
    finding.extent = places[finding.level] == 1 ? Extent::kOnlyUnder : Extent::kUnder;
  }
  return findings;
}

void Matrix::keep_significant(std::vector<Finding>& findings) const {
  std::vector<double> p_values;
  for (const Finding& finding : findings) p_values.push_back(finding.p_value);
  const auto adjusted = holm(p_values);
  for (size_t i = 0; i < findings.size(); ++i) findings[i].p_value = adjusted[i];
  std::erase_if(findings, [&](const Finding& finding) { return finding.p_value > alpha_; });
}

std::vector<Finding> Matrix::findings() const {
  std::vector<Finding> all;
  std::set<size_t> interacting;
  for (const auto& [pair, p_value] : p_interactions_) {
    if (p_value > alpha_) continue;
    for (const auto& [factor, other] : {pair, std::pair(pair.second, pair.first)}) {
      interacting.insert(factor);
      const auto found = simple(factor, other, p_value);
      all.insert(all.end(), found.begin(), found.end());
    }
  }
  for (size_t factor = 0; factor < factors_.size(); ++factor) {
    if (interacting.contains(factor)) continue;
    const auto found = own(factor);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

// Levels whose runs scatter much less than others' share a mean square that fits neither.
void warn_of_unequal_scatter(const std::vector<DesignFactor>& factors,
                             const std::vector<DesignRun>& runs, Effects& effects) {
  std::map<std::string, std::vector<double>> of_block;
  std::map<std::vector<size_t>, std::vector<double>> of_cell;
  for (const DesignRun& run : runs) of_block[run.block].push_back(run.value);
  for (const DesignRun& run : runs) {
    of_cell[run.levels].push_back(run.value - mean(of_block[run.block]));
  }
  for (size_t f = 0; f < factors.size(); ++f) {
    std::vector<double> pooled(factors[f].levels.size(), 0);
    for (const auto& [levels, values] : of_cell) pooled[levels[f]] += variance(values);
    const auto [least, most] = std::minmax_element(pooled.begin(), pooled.end());
    if (std::sqrt(*most / *least) <= kUnequalScatter) continue;
    effects.warnings.push_back(fmt::format(
        "{} {} scatters {:.0f} times as much as {}: look at its levels apart", factors[f].name,
        factors[f].levels[static_cast<size_t>(most - pooled.begin())], std::sqrt(*most / *least),
        factors[f].levels[static_cast<size_t>(least - pooled.begin())]));
  }
}

}  // namespace

std::string Finding::sentence() const {
  const double percent = std::abs(ratio - 1) * 100;
  const double low = (interval.lower - 1) * 100;
  const double high = (interval.upper - 1) * 100;
  const bool slower = ratio >= 1;
  const std::string where = extent == Extent::kEverywhere
                                ? "everywhere"
                                : fmt::format("under {} {}{}", other_factor, other_level,
                                              extent == Extent::kOnlyUnder ? " only" : "");
  return fmt::format("{} {} is {:.0f} % [{:.0f}, {:.0f}] {} than {} {}", factor, level, percent,
                     slower ? low : -high, slower ? high : -low, slower ? "slower" : "faster",
                     baseline, where);
}

Result<Effects> find_effects(const std::vector<DesignFactor>& factors,
                             const std::vector<DesignRun>& runs, double alpha) {
  Effects effects;
  RTSWEEP_TRY(const auto kept, balanced(factors, runs, effects));
  Matrix matrix(factors, kept, alpha);
  RTSWEEP_CHECK_OK(matrix.analyse());
  effects.runs = kept.size();
  effects.residual_degrees = matrix.anova().residual_degrees;
  effects.scatter = std::sqrt(matrix.anova().residual_mean_square);
  effects.findings = matrix.findings();
  warn_of_unequal_scatter(factors, kept, effects);
  return effects;
}

}  // namespace rtsweep::statistics
