// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <vector>

#include "analysis/statistics/effects.h"

namespace rtsweep {

// The effects of a run as a forest plot: one line each, the ratio with its 95 % interval on a
// logarithmic axis, 1 (no effect) as the vertical line. Empty without findings.
std::string forest_svg(const std::vector<statistics::Finding>& findings);

}  // namespace rtsweep
