// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runner/plan/feasibility.h"
#include "runner/plan/plan.h"

namespace rtsweep {

// What a plan would do on a machine.
struct TrialOutlook {
  PlannedTrial trial;
  std::optional<std::string> impossible;  // why, and what to do about it
  std::chrono::seconds expected{0};       // host time; 0 when impossible
};
struct PlanOutlook {
  std::vector<TrialOutlook> trials;  // in the order of measurement
  int possible = 0;
  int jobs = 1;                      // trials at once
  std::chrono::seconds expected{0};  // host time for all that are possible
};

PlanOutlook plan_outlook(const Plan& plan, const PlanHost& host);

// For people. Trials are a table where it fits into `width` characters, and otherwise
// a line or more each.
std::string outlook_text(const Plan& plan, const PlanOutlook& outlook, size_t width);

// The same as an object; `schema` counts changes that readers must know of.
nlohmann::json outlook_json(const Plan& plan, const PlanOutlook& outlook);

}  // namespace rtsweep
