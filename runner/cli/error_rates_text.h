// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/simulation/error_rates.h"

namespace rtsweep {

// What selftest --statistics prints: Markdown tables, and each bound that was missed.
std::string error_rates_text(const simulation::ErrorRates& rates);

// compare[] (model, pairs, cells, false_alarm, power_20, power_50, ...), other_models[],
// quantiles[], return_levels[], refusals[], missed[], good. All rates are shares from 0 to 1.
nlohmann::json error_rates_json(const simulation::ErrorRates& rates);

}  // namespace rtsweep
