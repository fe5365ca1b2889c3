// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/run_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/trial_statistics.h"

namespace rtsweep {
namespace {

using statistics::DesignFactor;
using statistics::DesignRun;
using Trials = std::vector<const TrialResult*>;

// Least squares over more than this take longer than a report may: trials times terms squared.
constexpr double kMostWork = 5e7;

Trials usable_trials(const RunReport& report, bool virtual_clock) {
  Trials trials;
  for (const TrialResult& trial : report.trials) {
    if (trial.virtual_clock != virtual_clock || !trial.usable() || !trial.max_us()) continue;
    trials.push_back(&trial);
  }
  return trials;
}

// Those with two levels at least, in the plan's order.
std::vector<DesignFactor> varied_factors(const RunReport& report, const Trials& trials) {
  std::vector<DesignFactor> factors;
  for (const std::string& name : report.factors) {
    std::set<std::string> seen;
    for (const TrialResult* trial : trials) {
      if (const auto level = trial->cell.find(name); level != trial->cell.end()) {
        seen.insert(level->second);
      }
    }
    DesignFactor factor{name, {}};
    if (const auto levels = report.levels.find(name); levels != report.levels.end()) {
      for (const std::string& level : levels->second) {
        if (seen.contains(level)) factor.levels.push_back(level);
      }
    }
    if (factor.levels.size() > 1) factors.push_back(std::move(factor));
  }
  return factors;
}

size_t level_of(const DesignFactor& factor, const Cell& cell) {
  const auto level = cell.find(factor.name);
  const std::string& name = level == cell.end() ? factor.levels.front() : level->second;
  return static_cast<size_t>(std::ranges::find(factor.levels, name) - factor.levels.begin());
}

std::vector<DesignRun> runs_of(const std::vector<DesignFactor>& factors, const Trials& trials) {
  std::vector<DesignRun> runs;
  for (const TrialResult* trial : trials) {
    if (trial->merged().samples() == 0) continue;
    DesignRun run{.block = std::to_string(trial->repetition)};
    for (const DesignFactor& factor : factors) run.levels.push_back(level_of(factor, trial->cell));
    run.value = statistics_of(*trial).typical_worst;
    runs.push_back(std::move(run));
  }
  return runs;
}

double work_of(const std::vector<DesignFactor>& factors, size_t blocks, size_t runs) {
  double columns = static_cast<double>(blocks);
  for (size_t f = 0; f < factors.size(); ++f) {
    const auto own = static_cast<double>(factors[f].levels.size() - 1);
    columns += own;
    for (size_t g = f + 1; g < factors.size(); ++g) {
      columns += own * static_cast<double>(factors[g].levels.size() - 1);
    }
  }
  return static_cast<double>(runs) * columns * columns;
}

bool of_equal_length(const Trials& trials) {
  return std::ranges::all_of(trials, [&](const TrialResult* trial) {
    const double first = trials.front()->duration_s;
    return std::abs(trial->duration_s - first) <= 0.01 * first;
  });
}

RunFindings findings_of(const std::vector<DesignFactor>& factors, const Trials& trials,
                        size_t blocks) {
  RunFindings findings{.virtual_clock = trials.front()->virtual_clock};
  if (!of_equal_length(trials)) {
    findings.why_not = "trials differ in length, and a longer one has the larger maxima";
  } else if (work_of(factors, blocks, trials.size()) > kMostWork) {
    findings.why_not = "the matrix is too large for an analysis of variance";
  } else if (auto effects = statistics::find_effects(factors, runs_of(factors, trials))) {
    // Where all repetitions agree to the last sample there is no scatter to test against.
    if (effects->scatter > 0) {
      findings.effects = std::move(*effects);
    } else {
      findings.why_not = "the trials of a cell are all the same: there is no scatter to test with";
    }
  } else {
    findings.why_not = effects.error().message();
  }
  return findings;
}

}  // namespace

std::string RunFindings::summary() const {
  const char* clock = virtual_clock ? "virtual" : "real";
  if (!effects) {
    return fmt::format("No effects of factors are given in {} time: {}.", clock, why_not);
  }
  std::string text = fmt::format(
      "Typical worst interval, {} time: {} trials in {} blocks, which scatter by {:.1f} %.", clock,
      effects->runs, effects->blocks, 100 * std::expm1(effects->scatter));
  text += effects->findings.empty()
              ? " No factor has an effect that shows."
              : " Effects with 95 % intervals; any false interaction has a chance of 5 %.";
  return text;
}

std::vector<RunFindings> find_in(const RunReport& report) {
  std::vector<RunFindings> all;
  for (const bool virtual_clock : {false, true}) {
    const Trials trials = usable_trials(report, virtual_clock);
    std::set<int> repetitions;
    for (const TrialResult* trial : trials) repetitions.insert(trial->repetition);
    const auto factors = varied_factors(report, trials);
    if (factors.empty() || repetitions.size() < 2) continue;
    all.push_back(findings_of(factors, trials, repetitions.size()));
  }
  return all;
}

}  // namespace rtsweep
