// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/run_report.h"

namespace rtsweep {

// Begun, and never ended: the runner or the machine was cut off in the middle.
bool is_unfinished(const TrialResult& trial);

// The numbers of one trial, or of several usable ones of one cell and one clock.
struct Numbers {
  uint64_t samples = 0;
  std::optional<int64_t> min_us;
  std::optional<double> avg_us;
  std::optional<int64_t> max_us;
  LatencyHistogram histogram{Latency(0)};

  // Empty among overflows, without samples, and where the histogram does not hold
  // every sample (another tool's summary without its histogram).
  std::optional<int64_t> quantile_us(uint64_t ppm) const;
};

Numbers numbers_of(const TrialResult& trial);
Numbers numbers_of(const CpuResult& cpu);

// A trial's numbers of each kind of samples, over all CPUs; the kind that its limit speaks of
// first. A probe with one kind only has no name for it: "".
std::vector<std::pair<std::string, Numbers>> numbers_by_kind(const TrialResult& trial);

// Trials of one cell, measured with one clock, by repetition.
struct CellTrials {
  Cell cell;
  bool virtual_clock = false;
  std::vector<const TrialResult*> trials;

  std::vector<const TrialResult*> usable() const;
  Numbers pooled() const;  // of the usable trials
};

// What became of one cell.
enum class CellState {
  kMeasured,    // at least one usable trial
  kInvalid,     // measured, but no number can be believed
  kError,       // no number
  kUnfinished,  // begun and never ended
  kImpossible,  // this machine cannot do it
  kAbsent,      // no trial: excluded by the plan, or not begun yet
};

// What a table shows of one cell: the worst over its usable repetitions.
struct CellSummary {
  CellState state = CellState::kAbsent;
  std::optional<int64_t> max_us;   // empty unless kMeasured
  std::optional<int64_t> p999_us;  // the worst of the trials' p99.9; empty if one is unknown
  uint64_t samples = 0;            // of the usable repetitions together
  int usable = 0, over_limit = 0, invalid = 0, errors = 0, unfinished = 0;
  bool fewer = false;  // fewer trials than another cell, in a run that is not complete
};

// The table of the mail: how bad each load makes each combination of the other factors.
struct CellTable {
  struct Row {
    std::vector<std::string> levels;  // of row_factors
    std::vector<CellSummary> cells;   // by load
  };

  bool virtual_clock = false;
  std::vector<std::string> row_factors;  // every factor with more than one level but "load"
  std::vector<std::string> loads;        // in the plan's order
  std::vector<Row> rows;                 // in the plan's order; only those with a cell
  std::optional<int64_t> min_max_us, max_max_us;  // of all cells: the range of the heat map
  uint64_t min_samples = 0, max_samples = 0;      // of one usable trial
};

// A RunReport in the order and the groups in which every format shows it.
class ReportCells {
 public:
  explicit ReportCells(const RunReport& report);

  // In the plan's order, those that only the results know after them.
  const std::vector<std::string>& factors() const { return factors_; }
  const std::vector<std::string>& levels(const std::string& factor) const;

  // Factors that were held: with one level in the whole run.
  std::vector<std::string> fixed_factors() const;

  // One table for each clock that was used, real time first. Never both in one.
  std::vector<CellTable> tables() const;

  // Every cell that has a trial: real time first, then by the plan's order.
  const std::vector<CellTrials>& cells() const { return cells_; }

  // Position of the cell's level of `factor`; levels().size() when it has none.
  size_t level_index(const Cell& cell, const std::string& factor) const;

  // The levels of the factors that vary, the load left out: "6.1-rt arm64". A run
  // without such factors has one configuration, "all".
  std::string configuration(const Cell& cell) const;

  // With the load: "6.1-rt arm64, hackbench"; the load alone where nothing else varies.
  std::string name_of(const Cell& cell) const;

 private:
  void learn(const Cell& cell);
  std::vector<size_t> order_of(const Cell& cell) const;
  std::vector<std::string> varied_factors() const;  // the load left out
  CellTable table(bool virtual_clock) const;
  CellSummary summary(const CellTrials& cell) const;

  const RunReport& report_;
  std::vector<std::string> factors_;
  std::map<std::string, std::vector<std::string>> levels_;
  std::vector<CellTrials> cells_;
  size_t most_trials_ = 0;  // of one cell
};

struct VerdictCounts {
  int pass = 0, fail = 0, invalid = 0, error = 0;
  int unfinished = 0;  // among the errors
};

VerdictCounts count_verdicts(const RunReport& report);

// "10 PASS, 2 FAIL, 1 INVALID, 1 ERROR"
std::string verdict_counts_text(const VerdictCounts& counts);

}  // namespace rtsweep
