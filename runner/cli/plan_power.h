// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runner/plan/outlook.h"

namespace rtsweep {

// The scatter that a plan's trials are expected to have.
struct ExpectedScatter {
  double log_sd = 0;   // of the typical worst interval, from trial to trial of a cell
  std::string source;  // "assumed", "measured in RUN (30 trials)", "as given"
};

// What a plan can find: whether its tail is longer than that of another run or level.
struct PlanPower {
  ExpectedScatter scatter;
  uint64_t cells = 0;  // possible here (all, when none is); all are compared
  int repetitions = 0;
  double trial_hours = 0;

  struct Change {
    double ratio = 1;                            // 1.2: 20 % longer
    std::optional<uint64_t> one_cell, any_cell;  // repetitions that find it with 90 %
  };
  std::vector<Change> changes;

  // The smallest ratio that is found with 90 %.
  struct Reach {
    std::string of;  // "the plan", "a night of 10 h"
    uint64_t repetitions = 0;
    double hours = 0;  // host time
    std::optional<double> one_cell, any_cell;
    double rarest_per_hour = 0;  // a path taken less often than this may not be seen at all
  };
  std::vector<Reach> reaches;
};

// The scatter between the trials of each cell of a measured run, blocks taken out. kBadData when no
// cell has two usable trials.
Result<ExpectedScatter> measured_scatter(const RunReport& report);

PlanPower plan_power(const Plan& plan, const PlanOutlook& outlook, const ExpectedScatter& scatter,
                     std::chrono::seconds night);

std::string plan_power_text(const PlanPower& power, size_t width);
nlohmann::json plan_power_json(const PlanPower& power);

}  // namespace rtsweep
