// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/capture_result.h"

#include "analysis/json_fields.h"

namespace rtsweep {

void to_json(nlohmann::json& json, const CaptureResult& result) { json = json_of_fields(result); }

void from_json(const nlohmann::json& json, CaptureResult& result) {
  result = value_of_json<CaptureResult>(json);
}

}  // namespace rtsweep
