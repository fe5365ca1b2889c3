// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>
#include <limits>
#include <span>

// Variances between runs, borrowed over the cells of a matrix: three runs of one cell know little
// of their scatter, 48 cells of three runs know it well.
namespace rtsweep::statistics {

// A scaled inverse chi-squared prior. Without one (degrees 0) a cell stands alone; with infinite
// degrees all cells share one variance.
struct VariancePrior {
  double degrees = 0;
  double variance = 0;

  // What the prior was learnt from knows no more than this: the sum of the cells' own degrees.
  // Bounds the degrees of a moderated variance, as limma's eBayes does (df.pooled). Smyth (2004).
  double most_degrees = std::numeric_limits<double>::infinity();
};

// Fewer cells than this cannot be moderated.
inline constexpr size_t kLeastCellsForPrior = 10;

struct SampleVariance {
  double variance = 0;
  double degrees = 0;  // n - 1
};

// The prior by the moments of ln s^2: Smyth, Stat. Appl. Genet. Mol. Biol. 3:3 (2004), 6.2, as in
// limma's fitFDist. Variances must be positive. Takes any number of cells >= 2.
VariancePrior fit_variance_prior(std::span<const SampleVariance> cells);

// The cell's variance drawn towards the prior, with the degrees of both, at most most_degrees.
SampleVariance moderate(SampleVariance cell, VariancePrior prior);

}  // namespace rtsweep::statistics
