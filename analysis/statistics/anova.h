// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runner/base/result.h"

// Analysis of variance of runs in randomised blocks, by least squares.
namespace rtsweep::statistics {

// A classification of the runs: which level each had. Levels are 0, 1, ...
struct Factor {
  std::string name;
  std::vector<size_t> levels;  // one for each run
};

// One factor, or the interaction of several, as indices of factors.
using Term = std::vector<size_t>;

struct AnovaRow {
  std::string term;  // "N", "N:P"; the last is "Residuals"
  size_t degrees = 0;
  double sum_of_squares = 0;
  double f = 0;        // of Residuals: 0
  double p_value = 1;  // of Residuals: 1
};

struct Anova {
  std::vector<AnovaRow> rows;  // in the order of the terms, then Residuals
  double residual_mean_square = 0;
  size_t residual_degrees = 0;
};

// Sequential (Type I) sums of squares: each term as far as the ones before it do not explain it.
// In a balanced design the order does not matter. A part that is aliased with earlier terms gets
// no degrees of freedom; a term that is wholly aliased gets a row with 0. An error when nothing is
// left for the residuals. O(runs * columns^2).
Result<Anova> analyse_variance(std::span<const double> responses, std::span<const Factor> factors,
                               std::span<const Term> terms);

// All factors, then all interactions of two of them but not with factor `block` (0 by custom).
std::vector<Term> main_effects_and_pairs(size_t factors, size_t block);

}  // namespace rtsweep::statistics
