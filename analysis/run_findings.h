// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/run_report.h"
#include "analysis/statistics/effects.h"

namespace rtsweep {

// Which factors of a run make its typical worst interval longer, and where.
struct RunFindings {
  bool virtual_clock = false;
  std::optional<statistics::Effects> effects;
  std::string why_not;  // a sentence, where there are no effects

  // "No factor has an effect that shows; ..." and the like, before the findings.
  std::string summary() const;
};

// For each clock that was used, real time first. Empty where there is nothing to ask: one cell
// only, or one repetition. Blocks are repetitions; levels are compared with the plan's first.
std::vector<RunFindings> find_in(const RunReport& report);

}  // namespace rtsweep
