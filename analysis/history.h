// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/run_report.h"

namespace rtsweep {

// What one run measured of one cell.
struct CellOfRun {
  std::string run;      // the directory's name
  std::string started;  // ISO 8601
  Cell cell;
  bool virtual_clock = false;
  double duration_s = 0;     // of a trial
  size_t cpus = 0;           // measured in a trial
  size_t trials = 0;         // usable ones
  double typical_worst = 0;  // mean over the trials of the logarithm of us
  double run_maximum = 0;    // the same of the maxima
  int64_t max_us = 0;        // the largest

  bool operator==(const CellOfRun&) const = default;
};

// The cells of a run that have usable trials.
std::vector<CellOfRun> cells_of_run(const RunReport& report);

// A change that a series of runs shows.
struct HistoryChange {
  std::string statistic;  // "typical worst interval", "run maximum"
  size_t noticed = 0;     // index of the run at which it was certain enough
  size_t since = 0;       // index of the first run after it, right to a run or so
  double ratio = 1;       // new over old: 1.2 is 20 % longer
};

// One cell over all runs that measured it alike, by time.
struct CellHistory {
  std::vector<CellOfRun> runs;
  std::vector<HistoryChange> changes;
  bool related = false;  // neighbouring runs are alike: alarms come too easily

  // One sentence for each change, or that there is none.
  std::vector<std::string> sentences() const;
};

// Fewer runs of a cell are too few to be called a history.
inline constexpr size_t kLeastRunsOfHistory = 5;

// Cells with equal levels, clock, duration and number of CPUs are one series. Changes are those of
// the self-starting CUSUM in both directions (h = 8.4: 2.7 % false alarms per 395 runs and cell);
// after a change it starts afresh. Series in the order in which their cells came.
std::vector<CellHistory> history_of(std::vector<CellOfRun> cells);

}  // namespace rtsweep
