// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/gate.h"
#include "runner/base/result.h"

namespace rtsweep {

// What `rtsweep gate --format` can name: text, json, junit, tap, github.
std::vector<std::string> gate_formats();

// Each check is a test case; a FAIL is a failure, an INVALID an error. kInvalidPlan for an unknown
// format.
Result<std::string> render_gate(const Gate& gate, std::string_view format);

}  // namespace rtsweep
