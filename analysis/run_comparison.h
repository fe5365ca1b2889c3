// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <vector>

#include "analysis/run_report.h"
#include "analysis/statistics/compare.h"
#include "runner/base/result.h"

namespace rtsweep {

// What one of the two sides is.
struct ComparedSide {
  std::string run;
  Cell levels;        // of the factors in which the two sides differ: {"kernel", "6.12-rt"}
  size_t usable = 0;  // trials that were measured and can be believed
  size_t unusable = 0;
};

struct ComparedCell {
  Cell cell;  // without the factors in which the sides differ
  bool virtual_clock = false;
  statistics::CellComparison result;

  // Why its trials may not be held against each other; then the answer is unclear.
  std::string not_comparable;
  std::string sentence;
};

// One run against another, or one kernel against another in one run.
struct RunComparison {
  ComparedSide old_side, new_side;
  statistics::CompareRules rules;
  std::vector<ComparedCell> cells;  // those that both sides measured, in the plan's order
  std::vector<Cell> only_old, only_new;

  // The answer over all cells: a regression anywhere; else unclear if any cell is; else worse
  // within the margin if any cell is.
  statistics::Answer answer() const;
  size_t count(statistics::Answer answer) const;
};

// The report with only the trials at these levels. kInvalidPlan when it has no such factor or
// level, naming what it has.
Result<RunReport> select_levels(RunReport report, const Cell& levels);

// Holds the trials of equal cells against each other. A factor that has one level on each side,
// and not the same, is what is compared; all others must be equal.
//
// Trials of one repetition are a pair, in virtual time always: a guest meets the same random
// numbers there. In real time only when the two sides were measured in turns; else sessions
// differ, and the cell is compared unpaired. kBadData when no cell is on both sides.
Result<RunComparison> compare_runs(const RunReport& old_report, const RunReport& new_report,
                                   const statistics::CompareRules& rules);

}  // namespace rtsweep
