// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "analysis/statistics/cusum.h"
#include "analysis/statistics/moments.h"
#include "analysis/trial_statistics.h"

namespace rtsweep {
namespace {

using statistics::SelfStartingCusum;

constexpr double kAllowance = 0.5;
constexpr double kAlarm = 8.4;  // both directions are watched
constexpr double kRelated = 0.3;
constexpr double kRounding = 1e-12;  // virtual time repeats exactly: such runs do not vary at all

struct Reading {
  const char* name;
  double CellOfRun::*value;
};
constexpr Reading kReadings[] = {{"typical worst interval", &CellOfRun::typical_worst},
                                 {"run maximum", &CellOfRun::run_maximum}};

std::vector<double> values_of(const std::vector<CellOfRun>& runs, Reading reading) {
  std::vector<double> values;
  for (const CellOfRun& run : runs) values.push_back(run.*reading.value);
  return values;
}

double mean_of(const std::vector<double>& values, size_t from, size_t to) {
  return statistics::mean(std::span(values).subspan(from, to - from));
}

struct Alarm {
  size_t noticed, since;
};

// The first change in the values from `from` on, upwards or downwards.
std::optional<Alarm> first_alarm(const std::vector<double>& values, size_t from) {
  SelfStartingCusum up(kAllowance, kAlarm), down(kAllowance, kAlarm);
  for (size_t i = from; i < values.size(); ++i) {
    up.add(values[i]);
    down.add(-values[i]);
    for (const SelfStartingCusum* cusum : {&up, &down}) {
      if (cusum->alarm()) return Alarm{i, from + *cusum->start()};
    }
  }
  return std::nullopt;
}

std::vector<HistoryChange> changes_of(const std::vector<CellOfRun>& runs, Reading reading) {
  const auto values = values_of(runs, reading);
  std::vector<HistoryChange> changes;
  size_t from = 0;
  while (const auto alarm = first_alarm(values, from)) {
    changes.push_back({reading.name, alarm->noticed, alarm->since, 1});
    from = alarm->since;
  }
  // All runs up to the next change: the date may be wrong by one.
  for (size_t i = 0; i < changes.size(); ++i) {
    const size_t begin = i == 0 ? 0 : changes[i - 1].since;
    const size_t end = i + 1 < changes.size() ? changes[i + 1].since : values.size();
    changes[i].ratio =
        std::exp(mean_of(values, changes[i].since, end) - mean_of(values, begin, changes[i].since));
  }
  return changes;
}

void analyse(CellHistory& history) {
  std::stable_sort(history.runs.begin(), history.runs.end(),
                   [](const auto& a, const auto& b) { return a.started < b.started; });
  if (history.runs.size() < kLeastRunsOfHistory) return;
  for (const Reading reading : kReadings) {
    const auto changes = changes_of(history.runs, reading);
    history.changes.insert(history.changes.end(), changes.begin(), changes.end());
    // A step makes neighbours alike by itself.
    const auto values = values_of(history.runs, reading);
    const bool vary = statistics::variance(values) > kRounding;
    if (changes.empty() && vary && statistics::lag_one_correlation(values) > kRelated) {
      history.related = true;
    }
  }
}

}  // namespace

std::vector<CellOfRun> cells_of_run(const RunReport& report) {
  using Key = std::tuple<bool, Cell, double, size_t>;
  std::map<Key, CellOfRun> cells;
  for (const TrialResult& trial : report.trials) {
    if (!trial.usable() || !trial.max_us() || trial.merged().samples() == 0) continue;
    const Key key{trial.virtual_clock, trial.cell, trial.duration_s, trial.cpus.size()};
    CellOfRun& cell = cells[key];
    const auto statistics = statistics_of(trial);
    ++cell.trials;
    cell.typical_worst += statistics.typical_worst;
    cell.run_maximum += statistics.run_maximum;
    cell.max_us = std::max(cell.max_us, *trial.max_us());
  }
  std::vector<CellOfRun> result;
  for (auto& [key, cell] : cells) {
    std::tie(cell.virtual_clock, cell.cell, cell.duration_s, cell.cpus) = key;
    cell.run = report.run;
    cell.started = report.started;
    cell.typical_worst /= static_cast<double>(cell.trials);
    cell.run_maximum /= static_cast<double>(cell.trials);
    result.push_back(std::move(cell));
  }
  return result;
}

std::vector<std::string> CellHistory::sentences() const {
  if (runs.size() < kLeastRunsOfHistory) {
    return {fmt::format("{} run{}: {} are needed to tell a change.", runs.size(),
                        runs.size() == 1 ? "" : "s", kLeastRunsOfHistory)};
  }
  std::vector<std::string> result;
  for (const HistoryChange& change : changes) {
    result.push_back(
        fmt::format("Since {} (run {}, give or take one) the {} is about {:.0f} % {}, noticed in "
                    "{}. Confirm it "
                    "with fresh pairs measured in turns (rtsweep compare): this figure was picked "
                    "for its size.",
                    runs[change.since].started, runs[change.since].run, change.statistic,
                    100 * std::abs(change.ratio - 1), change.ratio >= 1 ? "longer" : "shorter",
                    runs[change.noticed].run));
  }
  if (changes.empty()) result.push_back(fmt::format("No change in {} runs.", runs.size()));
  if (related) {
    result.push_back(
        "Neighbouring runs are alike (correlation above 0.3): alarms come too easily.");
  }
  return result;
}

std::vector<CellHistory> history_of(std::vector<CellOfRun> cells) {
  using Key = std::tuple<bool, Cell, double, size_t>;
  std::vector<CellHistory> all;
  std::map<Key, size_t> index;
  for (CellOfRun& cell : cells) {
    const Key key{cell.virtual_clock, cell.cell, cell.duration_s, cell.cpus};
    const auto [at, fresh] = index.emplace(key, all.size());
    if (fresh) all.emplace_back();
    all[at->second].runs.push_back(std::move(cell));
  }
  for (CellHistory& history : all) analyse(history);
  return all;
}

}  // namespace rtsweep
