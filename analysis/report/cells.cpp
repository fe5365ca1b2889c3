// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/cells.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr uint64_t kP999 = 999'000;
const std::string kLoad = "load";

template <typename T>
size_t index_in(const std::vector<T>& values, const T& value) {
  return static_cast<size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

void add_once(std::vector<std::string>& values, const std::string& value) {
  if (index_in(values, value) == values.size()) values.push_back(value);
}

const std::string& level_of(const Cell& cell, const std::string& factor) {
  static const std::string kNone;
  const auto it = cell.find(factor);
  return it == cell.end() ? kNone : it->second;
}

// A histogram without samples has no say in where the pooled one ends.
void pool_histogram(LatencyHistogram& into, const LatencyHistogram& other) {
  if (other.samples() == 0) return;
  if (into.samples() == 0) {
    into = other;
  } else {
    into.merge(other);
  }
}

void pool(Numbers& into, const Numbers& other) {
  if (other.samples == 0) return;
  if (other.min_us) into.min_us = std::min(into.min_us.value_or(*other.min_us), *other.min_us);
  if (other.max_us) into.max_us = std::max(into.max_us.value_or(*other.max_us), *other.max_us);
  if (other.avg_us) {
    const auto before = static_cast<double>(into.samples);
    const auto more = static_cast<double>(other.samples);
    into.avg_us = (into.avg_us.value_or(0) * before + *other.avg_us * more) / (before + more);
  }
  into.samples += other.samples;
  pool_histogram(into.histogram, other.histogram);
}

CellState state_of(const CellSummary& summary) {
  if (summary.usable > 0) return CellState::kMeasured;
  if (summary.errors > 0) return CellState::kError;
  if (summary.invalid > 0) return CellState::kInvalid;
  return CellState::kUnfinished;
}

// An unknown among the repetitions leaves the worst of them unknown.
void take_worst(CellSummary& summary, const Numbers& numbers) {
  const auto p999 = numbers.quantile_us(kP999);
  if (summary.usable == 0) {
    summary.p999_us = p999;
  } else if (summary.p999_us) {
    summary.p999_us = p999 ? std::max(p999, summary.p999_us) : std::nullopt;
  }
  summary.max_us = std::max(summary.max_us, numbers.max_us);
  summary.samples += numbers.samples;
  ++summary.usable;
}

void widen(CellTable& table, const CellSummary& summary) {
  if (!summary.max_us) return;
  table.min_max_us = std::min(table.min_max_us.value_or(*summary.max_us), *summary.max_us);
  table.max_max_us = std::max(table.max_max_us.value_or(*summary.max_us), *summary.max_us);
}

void widen_samples(CellTable& table, const CellTrials& cell) {
  for (const TrialResult* trial : cell.usable()) {
    const uint64_t samples = trial->samples();
    table.min_samples = table.min_samples == 0 ? samples : std::min(table.min_samples, samples);
    table.max_samples = std::max(table.max_samples, samples);
  }
}

}  // namespace

bool is_unfinished(const TrialResult& trial) {
  return !trial.started.empty() && trial.ended.empty();
}

std::optional<int64_t> Numbers::quantile_us(uint64_t ppm) const {
  const auto value = histogram.quantile(ppm);
  if (!value || histogram.samples() != samples) return std::nullopt;
  return value->count();
}

Numbers numbers_of(const TrialResult& trial) {
  return {.samples = trial.samples(),
          .min_us = trial.min_us(),
          .avg_us = trial.avg_us(),
          .max_us = trial.max_us(),
          .histogram = trial.merged()};
}

Numbers numbers_of(const CpuResult& cpu) {
  return {.samples = cpu.cycles,
          .min_us = cpu.min_us,
          .avg_us = cpu.avg_us,
          .max_us = cpu.max_us,
          .histogram = cpu.histogram};
}

std::vector<std::pair<std::string, Numbers>> numbers_by_kind(const TrialResult& trial) {
  std::vector<TrialResult> kinds;  // the trial once more for each, with these samples as its own
  for (const auto* cpus : {&trial.cpus, &trial.other_kinds}) {
    for (const CpuResult& cpu : *cpus) {
      const bool begun = !kinds.empty() && kinds.back().cpus.front().kind == cpu.kind;
      if (!begun) kinds.emplace_back();
      kinds.back().cpus.push_back(cpu);
    }
  }
  std::vector<std::pair<std::string, Numbers>> numbers;
  for (const TrialResult& kind : kinds) {
    numbers.emplace_back(kind.cpus.front().kind, numbers_of(kind));
  }
  return numbers;
}

std::vector<const TrialResult*> CellTrials::usable() const {
  std::vector<const TrialResult*> usable;
  std::copy_if(trials.begin(), trials.end(), std::back_inserter(usable),
               [](const TrialResult* trial) { return trial->usable(); });
  return usable;
}

Numbers CellTrials::pooled() const {
  Numbers pooled;
  for (const TrialResult* trial : usable()) pool(pooled, numbers_of(*trial));
  return pooled;
}

ReportCells::ReportCells(const RunReport& report)
    : report_(report), factors_(report.factors), levels_(report.levels) {
  for (const TrialResult& trial : report.trials) learn(trial.cell);
  for (const auto& [cell, why] : report.impossible) learn(cell);

  for (const TrialResult& trial : report.trials) {
    const auto same = [&](const CellTrials& cell) {
      return cell.virtual_clock == trial.virtual_clock && cell.cell == trial.cell;
    };
    auto it = std::find_if(cells_.begin(), cells_.end(), same);
    if (it == cells_.end()) it = cells_.insert(it, {trial.cell, trial.virtual_clock, {}});
    it->trials.push_back(&trial);
    most_trials_ = std::max(most_trials_, it->trials.size());
  }
  for (CellTrials& cell : cells_) {
    std::stable_sort(cell.trials.begin(), cell.trials.end(),
                     [](const auto* a, const auto* b) { return a->repetition < b->repetition; });
  }
  std::stable_sort(cells_.begin(), cells_.end(), [&](const CellTrials& a, const CellTrials& b) {
    if (a.virtual_clock != b.virtual_clock) return b.virtual_clock;
    return order_of(a.cell) < order_of(b.cell);
  });
}

void ReportCells::learn(const Cell& cell) {
  for (const auto& [factor, level] : cell) {
    add_once(factors_, factor);
    add_once(levels_[factor], level);
  }
}

const std::vector<std::string>& ReportCells::levels(const std::string& factor) const {
  static const std::vector<std::string> kNone;
  const auto it = levels_.find(factor);
  return it == levels_.end() ? kNone : it->second;
}

std::vector<std::string> ReportCells::fixed_factors() const {
  std::vector<std::string> fixed;
  std::copy_if(factors_.begin(), factors_.end(), std::back_inserter(fixed),
               [&](const std::string& f) { return f != kLoad && levels(f).size() == 1; });
  return fixed;
}

std::vector<std::string> ReportCells::varied_factors() const {
  std::vector<std::string> varied;
  std::copy_if(factors_.begin(), factors_.end(), std::back_inserter(varied),
               [&](const std::string& f) { return f != kLoad && levels(f).size() > 1; });
  return varied;
}

size_t ReportCells::level_index(const Cell& cell, const std::string& factor) const {
  return index_in(levels(factor), level_of(cell, factor));
}

std::vector<size_t> ReportCells::order_of(const Cell& cell) const {
  std::vector<size_t> order;
  for (const std::string& factor : factors_) order.push_back(level_index(cell, factor));
  return order;
}

std::string ReportCells::configuration(const Cell& cell) const {
  std::vector<std::string> levels;
  for (const std::string& factor : varied_factors()) {
    if (cell.contains(factor)) levels.push_back(level_of(cell, factor));
  }
  return levels.empty() ? "all" : join(levels, " ");
}

std::string ReportCells::name_of(const Cell& cell) const {
  const std::string& load = level_of(cell, kLoad);
  if (varied_factors().empty() && !load.empty()) return load;
  return configuration(cell) + (load.empty() ? "" : ", " + load);
}

CellSummary ReportCells::summary(const CellTrials& cell) const {
  CellSummary summary;
  for (const TrialResult* trial : cell.trials) {
    if (trial->usable()) {
      take_worst(summary, numbers_of(*trial));
      if (trial->verdict == Verdict::kFail) ++summary.over_limit;
    } else if (is_unfinished(*trial)) {
      ++summary.unfinished;
    } else {
      ++(trial->verdict == Verdict::kInvalid ? summary.invalid : summary.errors);
    }
  }
  summary.state = state_of(summary);
  summary.fewer = report_.trials.size() < static_cast<size_t>(std::max(report_.planned, 0)) &&
                  cell.trials.size() < most_trials_;
  return summary;
}

CellTable ReportCells::table(bool virtual_clock) const {
  CellTable table{.virtual_clock = virtual_clock, .row_factors = varied_factors()};
  table.loads = levels(kLoad);
  const bool loadless = std::any_of(cells_.begin(), cells_.end(), [](const CellTrials& cell) {
    return !cell.cell.contains(kLoad);
  });
  if (loadless || table.loads.empty()) add_once(table.loads, "");

  // Level indices order the rows as the plan does.
  std::map<std::vector<size_t>, CellTable::Row> rows;
  const auto cell_at = [&](const Cell& cell) -> CellSummary& {
    std::vector<size_t> order;
    CellTable::Row row;
    for (const std::string& factor : table.row_factors) {
      order.push_back(level_index(cell, factor));
      row.levels.push_back(level_of(cell, factor));
    }
    row.cells.resize(table.loads.size());
    auto& found = rows.try_emplace(order, std::move(row)).first->second;
    return found.cells.at(
        std::min(index_in(table.loads, level_of(cell, kLoad)), table.loads.size() - 1));
  };
  for (const auto& [cell, why] : report_.impossible) cell_at(cell).state = CellState::kImpossible;
  for (const CellTrials& cell : cells_) {
    if (cell.virtual_clock != virtual_clock) continue;
    cell_at(cell.cell) = summary(cell);
    widen_samples(table, cell);
  }
  for (auto& [order, row] : rows) {
    for (const CellSummary& summary : row.cells) widen(table, summary);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<CellTable> ReportCells::tables() const {
  std::vector<CellTable> tables;
  for (const bool virtual_clock : {false, true}) {
    const bool used = std::any_of(cells_.begin(), cells_.end(), [&](const CellTrials& cell) {
      return cell.virtual_clock == virtual_clock;
    });
    if (used) tables.push_back(table(virtual_clock));
  }
  if (tables.empty() && !report_.impossible.empty()) tables.push_back(table(false));
  return tables;
}

VerdictCounts count_verdicts(const RunReport& report) {
  VerdictCounts counts;
  for (const TrialResult& trial : report.trials) {
    switch (trial.verdict) {
      case Verdict::kPass:
        ++counts.pass;
        break;
      case Verdict::kFail:
        ++counts.fail;
        break;
      case Verdict::kInvalid:
        ++counts.invalid;
        break;
      case Verdict::kError:
        ++counts.error;
        break;
    }
    if (is_unfinished(trial) && trial.verdict == Verdict::kError) ++counts.unfinished;
  }
  return counts;
}

std::string verdict_counts_text(const VerdictCounts& counts) {
  return fmt::format(
      "{} PASS, {} FAIL, {} INVALID, {} ERROR{}", counts.pass, counts.fail, counts.invalid,
      counts.error,
      counts.unfinished > 0 ? fmt::format(" ({} unfinished)", counts.unfinished) : "");
}

}  // namespace rtsweep
