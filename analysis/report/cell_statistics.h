// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/cells.h"

namespace rtsweep {

// A quantile of a cell with its 95 % interval; in us. Empty: unknown, among overflows or beyond
// what the samples can tell.
struct CellQuantile {
  uint64_t ppm = 0;
  std::optional<double> value_us, lower_us, upper_us;
};

// What the usable trials of one cell allow to say, and how surely.
struct CellStatistics {
  size_t trials = 0;
  uint64_t samples = 0;
  std::vector<CellQuantile> quantiles;  // kReportQuantilesPpm

  // From three trials on the trial is the unit: Student's t on the logarithms of the trials' own
  // quantiles. Below, order statistics of all samples together (they are then taken as
  // independent, and the interval speaks of these boots only).
  bool over_trials = false;

  int64_t least_max_us = 0, most_max_us = 0;
  double median_max_us = 0;
  std::optional<double> max_scatter;  // relative, from trial to trial; from two trials on

  // With 95 % confidence, the maximum is above the quantile of order 1 - this: the rule of three.
  double proven_tail = 1;

  // "p99.9 24 us [22, 26], p99.99 31 us [29, 34] (95 %, over 5 trials). Maximum 62 to 84 us ..."
  std::string sentence() const;
};

// Nothing without a usable trial that has a maximum and a whole histogram.
std::optional<CellStatistics> statistics_of_cell(const CellTrials& cell);

}  // namespace rtsweep
