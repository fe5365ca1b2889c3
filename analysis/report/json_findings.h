// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/run_report.h"

namespace rtsweep {

// findings[]: for each clock, what find_in() says.
nlohmann::ordered_json json_of_findings(const RunReport& report);

// cells[]: what the usable trials of each cell allow to say; those without any are left out.
nlohmann::ordered_json json_of_cells(const RunReport& report);

}  // namespace rtsweep
