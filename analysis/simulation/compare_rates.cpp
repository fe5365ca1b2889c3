// SPDX-License-Identifier: GPL-2.0-or-later

#include <algorithm>
#include <cmath>

#include "analysis/simulation/error_rates.h"
#include "analysis/simulation/latency_model.h"
#include "analysis/statistics/compare.h"
#include "analysis/statistics/run_statistics.h"

namespace rtsweep::simulation {
namespace {

using statistics::Answer;
using statistics::CellRuns;

constexpr size_t kMinutes = 60;
constexpr double kSessionScatter = 0.1;
constexpr uint64_t kSeed = 20250701;

LatencyModel model_named(const std::string& name) {
  if (name == "quiet") return quiet_model();
  if (name == "heavy") return heavy_model();
  return mixture_model();
}

statistics::RunStatistics one_run(const LatencyModel& model, const Change& change, double scatter,
                                  double session, Random& random) {
  const RunEffect effect = {session + scatter * random.normal(),
                            model.rate_scatter * random.normal()};
  return statistics::run_statistics(minute_maxima(model, change, effect, kMinutes, random), 1);
}

CellRuns one_cell(const LatencyModel& model, const Change& change, size_t pairs, Random& random) {
  const double scatter = model.run_scatter * std::exp(model.cell_scatter * random.normal());
  CellRuns cell;
  for (size_t pair = 0; pair < pairs; ++pair) {
    const double session = kSessionScatter * random.normal();
    cell.old_runs.push_back(one_run(model, {}, scatter, session, random));
    cell.new_runs.push_back(one_run(model, change, scatter, session, random));
  }
  return cell;
}

struct Shares {
  double cells = 0;     // called worse, each by itself
  double matrices = 0;  // with a cell that is called worse, in the family
  double single = 0;    // called worse when compared alone
};

bool called_worse(const statistics::CellComparison& cell) {
  return cell.answer == Answer::kRegression || cell.answer == Answer::kWorseWithinMargin;
}

// `alone`: also each cell by itself, which takes as long again.
Shares shares_of(const CompareTask& task, const Change& change, bool alone) {
  const LatencyModel model = model_named(task.model);
  const statistics::CompareRules rules;
  Random random(kSeed + 1000 * task.pairs + static_cast<uint64_t>(100 * change.tail));
  Shares shares;
  for (size_t matrix = 0; matrix < task.matrices; ++matrix) {
    std::vector<CellRuns> cells;
    for (size_t i = 0; i < task.cells_per_matrix; ++i) {
      cells.push_back(one_cell(model, change, task.pairs, random));
    }
    const auto results = statistics::compare_cells(cells, rules);
    for (const auto& cell : results) shares.cells += cell.p_worse <= rules.alpha;
    shares.matrices += std::any_of(results.begin(), results.end(), called_worse);
    if (!alone) continue;
    for (const CellRuns& cell : cells) {
      shares.single += called_worse(statistics::compare_cells({&cell, 1}, rules).front());
    }
  }
  const auto matrices = static_cast<double>(task.matrices);
  const double cells = matrices * static_cast<double>(task.cells_per_matrix);
  return {shares.cells / cells, shares.matrices / matrices, shares.single / cells};
}

}  // namespace

CompareRates compare_rates_of(const CompareTask& task) {
  const Shares unchanged = shares_of(task, {}, true);
  const Shares longer = shares_of(task, {.tail = 1.2}, true);
  return {.model = model_named(task.model).name,
          .pairs = task.pairs,
          .cells = task.matrices * task.cells_per_matrix,
          .matrices = task.matrices,
          .false_alarm = unchanged.cells,
          .power_20 = longer.cells,
          .power_50 = shares_of(task, {.tail = 1.5}, false).cells,
          .power_rare_20 = shares_of(task, {.rare_path = 1.2}, false).cells,
          .matrix_alarm = unchanged.matrices,
          .single_alarm = unchanged.single,
          .single_power_20 = longer.single};
}

}  // namespace rtsweep::simulation
