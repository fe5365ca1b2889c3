// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep::statistics {

// Effects of a full two-level factorial: Box, Hunter & Hunter, Statistics for Experimenters
// (1978), chapter 10. An effect is the mean at the high level less the mean at the low one.
struct FactorialEffects {
  double mean = 0;

  // At index i the effect of the factors whose bits are set in i: 1 is the first factor alone, 3
  // the interaction of the first two. Index 0 is unused.
  std::vector<double> effects;
};

// From responses in standard (Yates) order: the first factor changes fastest. Their number must be
// a power of two. O(n log n) by Yates' algorithm.
Result<FactorialEffects> factorial_effects(std::span<const double> responses);

}  // namespace rtsweep::statistics
