// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include "runner/plan/plan_reader.h"

namespace rtsweep {

// Refuses what does not fit together in a plan whose values are all sound, and fills
// in the factor "load" where the plan varies none.
void check_plan(PlanReader& reader, const toml::table& root, Plan& plan);

}  // namespace rtsweep
