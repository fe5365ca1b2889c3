// SPDX-License-Identifier: GPL-2.0-or-later

// What compare found, in words.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/statistics/compare.h"

namespace rtsweep::statistics {
namespace {

double percent(double ratio) { return (ratio - 1) * 100; }

std::string change(double ratio) {
  const double by = percent(ratio);
  if (std::abs(by) < 0.5) return "unchanged";
  return fmt::format("{:.0f} % {}", std::abs(by), by > 0 ? "longer" : "shorter");
}

std::string with_interval(const Endpoint& endpoint) {
  return fmt::format("{} (90 % interval {:+.0f} to {:+.0f} %)", change(endpoint.ratio.ratio()),
                     percent(endpoint.interval.lower), percent(endpoint.interval.upper));
}

std::string both(const CellComparison& cell) {
  return fmt::format("the typical worst interval is {}, the run maximum {}",
                     with_interval(cell.typical_worst), with_interval(cell.run_maximum));
}

std::string chance(double p) {
  if (p < 0.001) return "under 0.1 %";
  if (p < 0.01) return "under 1 %";
  return fmt::format("{:.0f} %", std::ceil(p * 100));
}

std::string margins(const CompareRules& rules) {
  return fmt::format("{:.0f} % (typical worst interval) and {:.0f} % (run maximum)",
                     percent(rules.typical_margin), percent(rules.maximum_margin));
}

std::string in_pairs(const CellComparison& cell, size_t cells) {
  const std::string family = cells > 1 ? fmt::format(", {} cells compared", cells) : "";
  if (!cell.interleaved) {
    return fmt::format("{} old and {} new runs, not interleaved{}", cell.old_runs, cell.new_runs,
                       family);
  }
  return fmt::format("{} interleaved pairs{}", std::min(cell.old_runs, cell.new_runs), family);
}

std::string caveat(const CellComparison& cell) {
  if (cell.interleaved || !cell.tested) return "";
  return " Confirm it with interleaved runs: a shift between sessions passes for a change.";
}

std::string worse(const CellComparison& cell, size_t cells) {
  return fmt::format("{} in {}; chance of such a finding without a change: {}.", both(cell),
                     in_pairs(cell, cells), chance(cell.p_worse_in_family));
}

std::string too_few(const CellComparison& cell) {
  if (cell.interleaved) {
    return fmt::format("Unclear: {} pair(s) of runs; {} at least are needed, and 5 settle most.",
                       std::min(cell.old_runs, cell.new_runs), kLeastPairs);
  }
  return fmt::format(
      "Unclear: {} old and {} new runs, not interleaved; measure both in turns (2 pairs at least, "
      "5 "
      "settle most), or {} old runs.",
      cell.old_runs, cell.new_runs, kLeastOldRunsApart);
}

std::string what_would_settle(const CellComparison& cell, const CompareRules& rules) {
  if (!cell.interleaved) return "interleaved pairs would tell more";
  if (!cell.pairs_missing) return "the runs scatter too much for any number of pairs to settle it";
  return fmt::format("{} more pair{} would settle changes of {}", *cell.pairs_missing,
                     *cell.pairs_missing == 1 ? "" : "s", margins(rules));
}

std::string unclear(const CellComparison& cell, const CompareRules& rules, size_t cells) {
  if (!cell.tested) return too_few(cell);
  return fmt::format("Unclear: {} in {}; {}.", both(cell), in_pairs(cell, cells),
                     what_would_settle(cell, rules));
}

std::string sentence(const CellComparison& cell, const CompareRules& rules, size_t cells) {
  switch (cell.answer) {
    case Answer::kRegression:
      return "Regression: " + worse(cell, cells);
    case Answer::kWorseWithinMargin:
      return fmt::format("Worse, but by less than {}: {}", margins(rules), worse(cell, cells));
    case Answer::kNoRegression:
      return fmt::format("{} above {}: {} in {}; chance of overlooking one: at most {:.0f} %.",
                         cell.improved ? "Better; no regression" : "No regression", margins(rules),
                         both(cell), in_pairs(cell, cells), rules.alpha * 100);
    case Answer::kUnclear:
      break;
  }
  return unclear(cell, rules, cells);
}

}  // namespace

std::string describe(const CellComparison& cell, const CompareRules& rules,
                     size_t cells_in_family) {
  return sentence(cell, rules, cells_in_family) + caveat(cell);
}

}  // namespace rtsweep::statistics
