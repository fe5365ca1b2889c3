// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/statistics/log_ratio_tests.h"
#include "analysis/statistics/run_statistics.h"

// Is the new kernel worse than the old one? From interleaved pairs of runs (one of each, in random
// order, in the same session), by two numbers of each run, with one of four answers. Runs that
// were not interleaved can be compared, too, but a shift between their sessions (another day,
// another room temperature) passes for a change: 10 such runs alarm falsely 28 % of the time.
namespace rtsweep::statistics {

enum class Answer {
  kRegression,         // worse, and perhaps by more than the margin
  kWorseWithinMargin,  // worse for certain, and for certain by less than the margin
  kNoRegression,       // not worse by the margin; `improved` when better for certain
  kUnclear,            // more pairs are needed
};

std::string_view answer_name(Answer answer);  // "regression", "worse_within_margin", ...

struct CompareRules {
  double alpha = 0.05;          // of a false "regression" in the whole matrix; 0.01 for a gate
  double typical_margin = 1.2;  // of the typical worst interval (T1), as a ratio
  double maximum_margin = 1.5;  // of the run maximum (T2)
  double power = 0.8;           // wanted of the pairs still needed
};

struct CellRuns {
  std::vector<RunStatistics> old_runs;
  std::vector<RunStatistics> new_runs;
  bool interleaved = true;  // then old_runs[i] and new_runs[i] are a pair
};

// One of the two numbers, over the pairs of a cell.
struct Endpoint {
  LogRatio ratio;
  double margin = 1;
  Interval interval;            // 90 %, of the ratio
  double p_reaches_margin = 1;  // one-sided: <= alpha proves that the margin is not reached

  // The exact one-sided p over all signs of the differences: the check on the assumption that
  // they are normal, from six pairs on. It replaces the t test's where they differ by a factor 3.
  std::optional<double> sign_flip_p;
  double p_worse = 1;
};

struct CellComparison {
  size_t old_runs = 0;
  size_t new_runs = 0;
  bool interleaved = true;
  Endpoint typical_worst;
  Endpoint run_maximum;
  double p_worse = 1;            // of the two together
  double p_worse_in_family = 1;  // Holm over the cells
  Answer answer = Answer::kUnclear;
  bool improved = false;
  std::optional<uint64_t> pairs_missing;  // of an unclear answer; nothing: out of reach

  // False: too few runs for any test. The endpoints then have the ratio that was seen (NaN without
  // runs) and an open interval.
  bool tested = false;
};

// Fewer cannot be tested: the cell stays unclear.
inline constexpr size_t kLeastPairs = 2;
inline constexpr size_t kLeastOldRunsApart = 5;  // not interleaved; with two new ones at least

// The answers for the cells of a matrix, in their order. Variances of pairs are moderated over the
// cells when there are ten or more; runs that were not interleaved get Welch's test.
//
// Assumes independent pairs. O(cells * pairs), with 2^pairs for the check by signs up to 16 pairs.
std::vector<CellComparison> compare_cells(std::span<const CellRuns> cells,
                                          const CompareRules& rules = {});

// The answer as one sentence with the numbers it rests on, as a mail can quote it.
std::string describe(const CellComparison& cell, const CompareRules& rules, size_t cells_in_family);

// The answer for one number alone, as compare_cells() gives it for two.
Answer answer_for(const LogRatio& ratio, double margin, double alpha);

}  // namespace rtsweep::statistics
