// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/cli/plan_power.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/report/plain_text.h"
#include "analysis/statistics/design_power.h"
#include "analysis/statistics/moments.h"
#include "analysis/trial_statistics.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

using statistics::Design;

constexpr double kRatios[] = {1.1, 1.2, 1.5};

template <typename T>
nlohmann::json known(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

// Those that are possible here; all, when none is.
std::set<Cell> compared_cells(const PlanOutlook& outlook) {
  std::set<Cell> cells;
  for (const TrialOutlook& trial : outlook.trials) {
    if (!trial.impossible || outlook.possible == 0) cells.insert(trial.trial.cell);
  }
  return cells;
}

PlanPower::Reach reach_of(std::string of, uint64_t repetitions, double hours, double trial_hours,
                          const Design& one, const Design& any) {
  return {.of = std::move(of),
          .repetitions = repetitions,
          .hours = hours,
          .one_cell = smallest_ratio_found(one, repetitions),
          .any_cell = smallest_ratio_found(any, repetitions),
          .rarest_per_hour = statistics::rarest_seen_per_hour(
              std::max(1.0, static_cast<double>(repetitions)) * trial_hours)};
}

std::string repetitions_text(const std::optional<uint64_t>& repetitions) {
  return repetitions ? std::to_string(*repetitions) : "out of reach";
}

std::string change_text(const std::optional<double>& ratio) {
  if (!ratio) return "nothing";
  return *ratio < 1.01 ? "less than +1 %" : fmt::format("+{:.0f} %", 100 * (*ratio - 1));
}

std::string rate_text(double per_hour) {
  return per_hour < 100 ? fmt::format("{:.2g}", per_hour) : fmt::format("{:.0f}", per_hour);
}

std::string reach_text(const PlanPower& power, const PlanPower::Reach& reach) {
  if (reach.repetitions == 0) {
    return fmt::format("{} does not hold one repetition of all cells.", reach.of);
  }
  std::string text = fmt::format("{}, {} repetition{} of each cell: ", reach.of, reach.repetitions,
                                 reach.repetitions == 1 ? "" : "s");
  if (reach.repetitions < 2) {
    text += "finds nothing, one repetition cannot be tested.";
  } else {
    text += fmt::format("finds {} in a given cell", change_text(reach.one_cell));
    if (power.cells > 1) {
      text += fmt::format(", {} in any of {} cells", change_text(reach.any_cell), power.cells);
    }
    text += ".";
  }
  return text + fmt::format(
                    " A path taken less than {} times an hour may never be taken in a cell "
                    "(5 %): no method sees it.",
                    rate_text(reach.rarest_per_hour));
}

}  // namespace

Result<ExpectedScatter> measured_scatter(const RunReport& report) {
  std::map<Cell, std::map<int, double>> cells;  // T1 by repetition
  std::map<int, std::vector<double>> blocks;    // T1 less the cell's mean
  for (const TrialResult& trial : report.trials) {
    if (!trial.usable() || !trial.max_us() || trial.merged().samples() == 0) continue;
    cells[trial.cell][trial.repetition] = statistics_of(trial).typical_worst;
  }
  std::erase_if(cells, [](const auto& cell) { return cell.second.size() < 2; });
  if (cells.empty()) {
    return Error(Errc::kBadData, fmt::format("run {}: no cell has two usable trials, so that "
                                             "their scatter is not known",
                                             report.run));
  }
  for (auto& [cell, values] : cells) {
    double sum = 0;
    for (const auto& [repetition, value] : values) sum += value;
    for (auto& [repetition, value] : values) {
      value -= sum / static_cast<double>(values.size());
      blocks[repetition].push_back(value);
    }
  }
  // With one cell there is no block effect to tell from its scatter.
  const bool with_blocks = cells.size() > 1;
  double squares = 0;
  size_t trials = 0;
  for (const auto& [cell, values] : cells) {
    for (const auto& [repetition, value] : values) {
      const double block = with_blocks ? statistics::mean(blocks[repetition]) : 0;
      squares += (value - block) * (value - block);
      ++trials;
    }
  }
  const size_t lost = cells.size() + (with_blocks ? blocks.size() - 1 : 0);
  const double degrees = std::max(1.0, static_cast<double>(trials) - static_cast<double>(lost));
  // Never below what rounding to a microsecond may hide.
  constexpr double kLeast = 0.005;
  return ExpectedScatter{std::max(kLeast, std::sqrt(squares / degrees)),
                         fmt::format("measured in {} ({} trials)", report.run, trials)};
}

PlanPower plan_power(const Plan& plan, const PlanOutlook& outlook, const ExpectedScatter& scatter,
                     std::chrono::seconds night) {
  const auto duration = static_cast<double>(plan.duration_s);
  PlanPower power{.scatter = scatter,
                  .cells = compared_cells(outlook).size(),
                  .repetitions = plan.repetitions,
                  .trial_hours = duration / 3600};
  if (scatter.log_sd <= 0) {
    power.scatter = {statistics::assumed_log_sd(duration / interval_s(duration)),
                     "assumed; --from RUN takes that of a run"};
  }
  const Design one = {.log_sd = power.scatter.log_sd};
  Design any = one;
  any.cells = std::max<uint64_t>(1, power.cells);
  for (const double ratio : kRatios) {
    power.changes.push_back(
        {ratio, repetitions_needed(one, ratio), repetitions_needed(any, ratio)});
  }
  const double hours = static_cast<double>(outlook.expected.count()) / 3600;
  power.reaches.push_back(reach_of("This plan", static_cast<uint64_t>(plan.repetitions), hours,
                                   power.trial_hours, one, any));
  if (hours <= 0) return power;  // nothing is possible here: how long it takes is not known
  const double block_hours = hours / plan.repetitions;
  const double night_hours = static_cast<double>(night.count()) / 3600;
  const auto fitting = static_cast<uint64_t>(night_hours / block_hours);
  power.reaches.push_back(reach_of(fmt::format("A night of {:g} h", night_hours), fitting,
                                   night_hours, power.trial_hours, one, any));
  return power;
}

std::string plan_power_text(const PlanPower& power, size_t width) {
  std::string text = fmt::format(
      "Repetitions that find a longer tail with 90 %, at 5 % false alarms; trials of a cell "
      "scatter "
      "by {:.1f} % ({}).",
      100 * std::expm1(power.scatter.log_sd), power.scatter.source);
  text = join(wrap(text, width, 0, ""), "\n") + "\n\n";
  text += fmt::format("  {:<8} {:>14}   {:>14}\n", "longer", "in one cell",
                      fmt::format("any of {}", power.cells));
  for (const PlanPower::Change& change : power.changes) {
    text += fmt::format("  {:<8} {:>14}   {:>14}\n", change_text(change.ratio),
                        repetitions_text(change.one_cell), repetitions_text(change.any_cell));
  }
  for (const PlanPower::Reach& reach : power.reaches) {
    text += "\n" + join(wrap(reach_text(power, reach), width, 2, "  "), "\n") + "\n";
  }
  return text;
}

nlohmann::json plan_power_json(const PlanPower& power) {
  nlohmann::json changes = nlohmann::json::array();
  for (const PlanPower::Change& change : power.changes) {
    changes.push_back({{"ratio", change.ratio},
                       {"repetitions_one_cell", known(change.one_cell)},
                       {"repetitions_any_cell", known(change.any_cell)}});
  }
  nlohmann::json reaches = nlohmann::json::array();
  for (const PlanPower::Reach& reach : power.reaches) {
    reaches.push_back({{"of", reach.of},
                       {"repetitions", reach.repetitions},
                       {"hours", reach.hours},
                       {"smallest_ratio_one_cell", known(reach.one_cell)},
                       {"smallest_ratio_any_cell", known(reach.any_cell)},
                       {"rarest_seen_per_hour", reach.rarest_per_hour}});
  }
  return {{"power", 0.9},
          {"alpha", 0.05},
          {"cells", power.cells},
          {"repetitions", power.repetitions},
          {"scatter", power.scatter.log_sd},
          {"scatter_source", power.scatter.source},
          {"changes", changes},
          {"reaches", reaches}};
}

}  // namespace rtsweep
