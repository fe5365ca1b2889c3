// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/interval.h"
#include "runner/base/result.h"

// Which factor of a matrix makes the latency longer, and where: log-linear analysis of variance of
// runs in randomised blocks. Effects are ratios; an interaction means that the ratio differs.
namespace rtsweep::statistics {

struct DesignFactor {
  std::string name;                 // "bitness"
  std::vector<std::string> levels;  // "32", "64": the first is what others are compared with
};

struct DesignRun {
  std::string block;           // the session: every cell once
  std::vector<size_t> levels;  // of each factor
  double value = 0;            // T1 or T2 of the run: the logarithm of a latency
};

enum class Extent {
  kEverywhere,  // the factor acts, and no interaction of it does
  kOnlyUnder,   // the interaction is there, and of the simple effects this one alone
  kUnder,       // the interaction is there, and this simple effect beside others
};

// "bitness 64 is 31 % [12, 53] slower under load=kernel-build only."
struct Finding {
  Extent extent = Extent::kEverywhere;
  std::string factor, level, baseline;
  std::string other_factor, other_level;  // where, unless everywhere
  double ratio = 1;
  Interval interval;         // 95 %, of the ratio
  double p_value = 1;        // of the effect, adjusted (Holm) for the comparisons beside it
  double p_interaction = 1;  // adjusted over all interactions

  std::string sentence() const;
};

struct Effects {
  std::vector<Finding> findings;
  size_t runs = 0;
  size_t blocks = 0;
  size_t residual_degrees = 0;
  double scatter = 0;                 // standard deviation of a run's logarithm within a block
  std::vector<std::string> warnings;  // blocks left out; scatter that differs between levels
};

// Model: block + factors + interactions of two. Interactions are tested by Holm at `alpha`, then
// simple effects within them, or the factor's own where it has none. Box, Hunter & Hunter (2005),
// chapter 4; Holm (1979).
//
// A block that lacks a cell is left out, with a warning. Refused: below two whole blocks, or when
// over a tenth of the runs would be left out.
Result<Effects> find_effects(const std::vector<DesignFactor>& factors,
                             const std::vector<DesignRun>& runs, double alpha = 0.05);

}  // namespace rtsweep::statistics
