// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace rtsweep {
namespace {

template <typename Predicate>
bool any_cell(const CellTable& table, Predicate predicate) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const CellTable::Row& row) {
    return std::any_of(row.cells.begin(), row.cells.end(), predicate);
  });
}

bool measured(const CellSummary& cell) { return cell.state == CellState::kMeasured; }

std::optional<double> common_rate(const RunReport& report) {
  std::set<double> rates;
  for (const TrialResult& trial : report.trials) {
    if (trial.virtual_clock) rates.insert(trial.ns_per_instruction.value_or(0));
  }
  if (rates.size() != 1 || *rates.begin() <= 0) return std::nullopt;
  return *rates.begin();
}

bool has_both_clocks(const RunReport& report) {
  const auto is_virtual = [](const TrialResult& trial) { return trial.virtual_clock; };
  return std::any_of(report.trials.begin(), report.trials.end(), is_virtual) &&
         !std::all_of(report.trials.begin(), report.trials.end(), is_virtual);
}

std::string absent_text(const RunReport& report, bool complete) {
  if (has_both_clocks(report)) return "no trial with this clock";
  return complete ? "left out by the plan" : "left out by the plan, or not begun yet";
}

bool complete(const RunReport& report) {
  return report.trials.size() >= static_cast<size_t>(std::max(report.planned, 0));
}

}  // namespace

std::string measured_text(const RunReport& report) {
  const std::string probe = report.trials.empty() ? "" : report.trials.front().probe;
  if (probe == "osnoise") return "interruption";
  if (probe == "hwlat") return "gap";
  return "wakeup latency";
}

std::string interruptions_text(const TrialResult& trial) {
  std::map<std::string, uint64_t> sums;
  for (const CpuResult& cpu : trial.cpus) {
    for (const auto& [source, times] : cpu.interruptions) sums[source] += times;
  }
  std::string text;
  for (const auto& [source, times] : sums) {
    text += fmt::format("{} {} {}", text.empty() ? "interrupted by" : ",", grouped(times), source);
  }
  return text;
}

std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

std::string amount(double number) {
  if (!std::isfinite(number) || number < 0 || number >= 1e15) return fmt::format("{:.4g}", number);
  if (number >= 100 || number == std::floor(number)) {
    return grouped(static_cast<uint64_t>(std::llround(number)));
  }
  return fmt::format("{:.3g}", number);
}

std::string us_text(const std::optional<int64_t>& us) {
  return us ? std::to_string(*us) : "unknown";
}

std::string avg_text(const std::optional<double>& us) {
  return us && std::isfinite(*us) ? fmt::format("{:.1f}", *us) : "unknown";
}

std::string range_text(uint64_t least, uint64_t most) {
  if (least == most) return grouped(least);
  return grouped(least) + " to " + grouped(most);
}

std::string rt_text(const std::optional<bool>& rt) {
  if (!rt) return "RT unknown";
  return *rt ? "PREEMPT_RT" : "not RT";
}

std::string virtual_time_text(const RunReport& report) {
  const bool used = std::any_of(report.trials.begin(), report.trials.end(),
                                [](const TrialResult& trial) { return trial.virtual_clock; });
  if (!used) return "";
  const auto rate = common_rate(report);
  const std::string clock =
      rate ? fmt::format(" (1 us = {:g} instructions)", std::round(1e6 / *rate) / 1000) : "";
  return "Virtual time: the clock counts executed instructions" + clock +
         ", so a latency is the length of the path from the timer's expiry to user space, with "
         "lock waits, preemption and priority inheritance in it; caches, TLB, memory bandwidth, "
         "DMA, buses, contention between CPUs, firmware and device speed are not modelled. "
         "Compare only within one architecture, never with real time.";
}

std::string vm_real_time_text(const RunReport& report) {
  const bool used = std::any_of(report.trials.begin(), report.trials.end(),
                                [](const TrialResult& trial) { return !trial.virtual_clock; });
  if (report.target != "vm" || !used) return "";
  return "Real time in a VM: the host's scheduling, and the emulator's speed where there is no "
         "hardware virtualisation, are part of every latency. These are no latencies of the "
         "kernel on hardware.";
}

std::optional<int64_t> common_limit(const RunReport& report) {
  std::set<std::optional<int64_t>> limits;
  for (const TrialResult& trial : report.trials) limits.insert(trial.limit_us);
  return limits.size() == 1 ? *limits.begin() : std::nullopt;
}

std::string progress_text(const RunReport& report) {
  const std::string of = report.planned > 0
                             ? fmt::format("{} of {}", report.trials.size(), report.planned)
                             : std::to_string(report.trials.size());
  return of + ": " + verdict_counts_text(count_verdicts(report));
}

std::string cell_text(const CellSummary& summary) {
  switch (summary.state) {
    case CellState::kMeasured:
      return us_text(summary.max_us);
    case CellState::kInvalid:
      return "INVALID";
    case CellState::kError:
      return "ERROR";
    case CellState::kUnfinished:
      return "unfinished";
    case CellState::kImpossible:
      return "n/a";
    case CellState::kAbsent:
      return "-";
  }
  return "-";
}

std::string cell_marks(const CellSummary& summary) {
  std::string marks;
  if (!measured(summary)) return marks;
  if (summary.over_limit > 0) marks += '*';
  if (summary.invalid > 0) marks += 'i';
  if (summary.errors > 0) marks += 'e';
  if (summary.unfinished > 0) marks += 'u';
  if (summary.fewer) marks += '+';
  return marks;
}

std::vector<LegendEntry> legend_of(const CellTable& table, const RunReport& report) {
  std::vector<LegendEntry> legend;
  const auto say = [&](auto when, std::string mark, std::string meaning) {
    if (any_cell(table, when)) legend.push_back({std::move(mark), std::move(meaning)});
  };
  const auto in_state = [](CellState state) {
    return [state](const CellSummary& cell) { return cell.state == state; };
  };
  const auto repetition = [](int CellSummary::*count) {
    return [count](const CellSummary& cell) { return measured(cell) && cell.*count > 0; };
  };
  say(repetition(&CellSummary::over_limit), "*", "a limit was exceeded (FAIL)");
  say(repetition(&CellSummary::invalid), "i", "a repetition is INVALID and left out");
  say(repetition(&CellSummary::errors), "e", "a repetition ended in an ERROR and is left out");
  say(repetition(&CellSummary::unfinished), "u",
      "a repetition was begun, never ended, and is left out");
  say([](const CellSummary& cell) { return measured(cell) && cell.fewer; }, "+",
      "fewer repetitions than other cells so far");
  say(in_state(CellState::kInvalid), "INVALID", "measured, but no number can be believed");
  say(in_state(CellState::kError), "ERROR", "could not be measured");
  say(in_state(CellState::kUnfinished), "unfinished", "begun and never ended");
  say(in_state(CellState::kImpossible), "n/a", "impossible here");
  say(in_state(CellState::kAbsent), "-", absent_text(report, complete(report)));
  return legend;
}

}  // namespace rtsweep
