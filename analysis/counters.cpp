// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/counters.h"

#include "analysis/json_fields.h"

namespace rtsweep {

void to_json(nlohmann::json& json, const MeasurementCounters& counters) {
  json = json_of_fields(counters);
}

void from_json(const nlohmann::json& json, MeasurementCounters& counters) {
  counters = value_of_json<MeasurementCounters>(json);
}

}  // namespace rtsweep
