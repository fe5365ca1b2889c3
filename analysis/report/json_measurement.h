// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/counters.h"

namespace rtsweep {

// What a machine counted while the probe measured: the growth of its counters, and where
// a value does not count anything, its last one. Null when nothing was counted.
nlohmann::ordered_json json_of_measurement(const std::optional<MeasurementCounters>& counters);

}  // namespace rtsweep
