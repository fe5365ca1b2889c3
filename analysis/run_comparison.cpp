// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/trial_statistics.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

using statistics::Answer;
using statistics::RunStatistics;
using Trials = std::vector<const TrialResult*>;
using Levels = std::map<std::string, std::set<std::string>>;

Levels levels_in(const RunReport& report) {
  Levels levels;
  for (const TrialResult& trial : report.trials) {
    for (const auto& [factor, level] : trial.cell) levels[factor].insert(level);
  }
  return levels;
}

// The factors with one level on each side, and not the same; or that one side does not have.
std::set<std::string> compared_factors(const Levels& olds, const Levels& news) {
  std::set<std::string> factors;
  const auto differs = [&](const std::string& factor) {
    const auto in_old = olds.find(factor);
    const auto in_new = news.find(factor);
    const bool one_old = in_old == olds.end() || in_old->second.size() == 1;
    const bool one_new = in_new == news.end() || in_new->second.size() == 1;
    if (!one_old || !one_new) return false;
    return in_old == olds.end() || in_new == news.end() || in_old->second != in_new->second;
  };
  for (const Levels* levels : {&olds, &news}) {
    for (const auto& [factor, unused] : *levels) {
      if (differs(factor)) factors.insert(factor);
    }
  }
  return factors;
}

Cell without(Cell cell, const std::set<std::string>& factors) {
  for (const std::string& factor : factors) cell.erase(factor);
  return cell;
}

// Trials that may be held against each other: one cell, one clock.
using Key = std::pair<bool, Cell>;
using Grouped = std::map<Key, Trials>;

// By the old plan's factors and levels, real time first.
void sort_as_planned(std::vector<Key>& keys, const RunReport& report) {
  const auto rank = [&](const Key& key) {
    std::vector<size_t> indices = {key.first ? size_t{1} : size_t{0}};
    for (const std::string& factor : report.factors) {
      const auto levels = report.levels.find(factor);
      const auto level = key.second.find(factor);
      if (levels == report.levels.end() || level == key.second.end()) continue;
      const auto& all = levels->second;
      indices.push_back(
          static_cast<size_t>(std::find(all.begin(), all.end(), level->second) - all.begin()));
    }
    return indices;
  };
  std::stable_sort(keys.begin(), keys.end(),
                   [&](const Key& a, const Key& b) { return rank(a) < rank(b); });
}

// Also the cells in their order of measurement.
Grouped group(const RunReport& report, const std::set<std::string>& compared, ComparedSide& side,
              std::vector<Key>& order) {
  Grouped grouped;
  side.run = report.run;
  for (const TrialResult& trial : report.trials) {
    for (const std::string& factor : compared) {
      if (const auto level = trial.cell.find(factor); level != trial.cell.end()) {
        side.levels[factor] = level->second;
      }
    }
    if (!trial.usable() || !trial.max_us()) {
      ++side.unusable;
      continue;
    }
    ++side.usable;
    const Key key{trial.virtual_clock, without(trial.cell, compared)};
    if (!grouped.contains(key)) order.push_back(key);
    grouped[key].push_back(&trial);
  }
  for (auto& [key, trials] : grouped) {
    std::stable_sort(trials.begin(), trials.end(),
                     [](const auto* a, const auto* b) { return a->repetition < b->repetition; });
  }
  return grouped;
}

// Only the repetitions that both have, each once.
void keep_common_repetitions(Trials& olds, Trials& news) {
  std::map<int, const TrialResult*> of_old, of_new;
  for (const TrialResult* trial : olds) of_old.emplace(trial->repetition, trial);
  for (const TrialResult* trial : news) of_new.emplace(trial->repetition, trial);
  olds.clear();
  news.clear();
  for (const auto& [repetition, trial] : of_old) {
    const auto other = of_new.find(repetition);
    if (other == of_new.end()) continue;
    olds.push_back(trial);
    news.push_back(other->second);
  }
}

// Were the pairs measured one after the other? Then, in the order of time, each two trials in
// turn are one of the old and one of the new.
bool measured_in_turns(const Trials& olds, const Trials& news) {
  std::vector<std::pair<std::string, bool>> order;
  for (const TrialResult* trial : olds) order.emplace_back(trial->started, false);
  for (const TrialResult* trial : news) order.emplace_back(trial->started, true);
  std::sort(order.begin(), order.end());
  if (order.empty() || order.front().first.empty()) return false;
  for (size_t i = 0; i + 1 < order.size(); i += 2) {
    if (order[i].second == order[i + 1].second) return false;
  }
  return true;
}

std::vector<RunStatistics> statistics_of_all(const Trials& trials) {
  std::vector<RunStatistics> runs;
  for (const TrialResult* trial : trials) runs.push_back(statistics_of(*trial));
  return runs;
}

// A longer trial, or one on more CPUs, has a larger maximum without being worse.
std::string obstacle(const Trials& olds, const Trials& news) {
  const TrialResult& first = *olds.front();
  Trials all = olds;
  all.insert(all.end(), news.begin(), news.end());
  for (const TrialResult* trial : all) {
    if (std::abs(trial->duration_s - first.duration_s) > 0.01 * first.duration_s) {
      return fmt::format("trials of {:g} s and of {:g} s: the longer one has the larger maximum",
                         first.duration_s, trial->duration_s);
    }
    if (trial->cpus.size() != first.cpus.size()) {
      return fmt::format("trials on {} and on {} CPUs", first.cpus.size(), trial->cpus.size());
    }
    const auto samples = static_cast<double>(first.samples());
    if (std::abs(static_cast<double>(trial->samples()) - samples) > 0.1 * samples) {
      return fmt::format("trials of {} and of {} samples", first.samples(), trial->samples());
    }
    if (trial->merged().samples() == 0) return "a trial without a histogram";
  }
  return "";
}

statistics::CellRuns runs_of(Trials olds, Trials news) {
  Trials paired_olds = olds;
  Trials paired_news = news;
  keep_common_repetitions(paired_olds, paired_news);
  const bool pairs = olds.front()->virtual_clock || measured_in_turns(paired_olds, paired_news);
  if (!pairs) return {statistics_of_all(olds), statistics_of_all(news), false};
  return {statistics_of_all(paired_olds), statistics_of_all(paired_news), true};
}

// "6.1-rt, 6.12-rt" of the factor.
std::string known_levels(const std::set<std::string>& levels) {
  return join(std::vector<std::string>(levels.begin(), levels.end()), ", ");
}

}  // namespace

Answer RunComparison::answer() const {
  for (const Answer worst : {Answer::kRegression, Answer::kUnclear, Answer::kWorseWithinMargin}) {
    if (count(worst) > 0) return worst;
  }
  return Answer::kNoRegression;
}

size_t RunComparison::count(Answer wanted) const {
  return static_cast<size_t>(std::count_if(
      cells.begin(), cells.end(), [&](const auto& cell) { return cell.result.answer == wanted; }));
}

Result<RunReport> select_levels(RunReport report, const Cell& levels) {
  const Levels known = levels_in(report);
  for (const auto& [factor, level] : levels) {
    const auto of_factor = known.find(factor);
    if (of_factor == known.end()) {
      return Error(Errc::kInvalidPlan,
                   fmt::format("run {} has no factor \"{}\"", report.run, factor));
    }
    if (!of_factor->second.contains(level)) {
      return Error(Errc::kInvalidPlan,
                   fmt::format("run {} has no {} \"{}\"; it has: {}", report.run, factor, level,
                               known_levels(of_factor->second)));
    }
  }
  std::erase_if(report.trials, [&](const TrialResult& trial) {
    return !std::all_of(levels.begin(), levels.end(), [&](const auto& wanted) {
      const auto has = trial.cell.find(wanted.first);
      return has != trial.cell.end() && has->second == wanted.second;
    });
  });
  return report;
}

Result<RunComparison> compare_runs(const RunReport& old_report, const RunReport& new_report,
                                   const statistics::CompareRules& rules) {
  RunComparison comparison{.rules = rules};
  const auto compared = compared_factors(levels_in(old_report), levels_in(new_report));
  std::vector<Key> old_order, new_order;
  const Grouped olds = group(old_report, compared, comparison.old_side, old_order);
  const Grouped news = group(new_report, compared, comparison.new_side, new_order);

  sort_as_planned(old_order, old_report);
  sort_as_planned(new_order, old_report);

  std::vector<statistics::CellRuns> runs;
  for (const Key& key : old_order) {
    if (!news.contains(key)) {
      comparison.only_old.push_back(key.second);
      continue;
    }
    ComparedCell cell{.cell = key.second, .virtual_clock = key.first};
    cell.not_comparable = obstacle(olds.at(key), news.at(key));
    runs.push_back(cell.not_comparable.empty() ? runs_of(olds.at(key), news.at(key))
                                               : statistics::CellRuns{});
    comparison.cells.push_back(std::move(cell));
  }
  for (const Key& key : new_order) {
    if (!olds.contains(key)) comparison.only_new.push_back(key.second);
  }
  if (comparison.cells.empty()) {
    return Error(Errc::kBadData, "no cell was measured with usable trials on both sides");
  }

  const auto results = statistics::compare_cells(runs, rules);
  for (size_t i = 0; i < results.size(); ++i) {
    ComparedCell& cell = comparison.cells[i];
    cell.result = results[i];
    cell.sentence = cell.not_comparable.empty()
                        ? statistics::describe(results[i], rules, results.size())
                        : "Unclear: " + cell.not_comparable + ".";
  }
  return comparison;
}

}  // namespace rtsweep
