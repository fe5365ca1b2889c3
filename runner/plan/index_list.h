// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

// A list of CPUs or memory nodes as a person writes it, "0-1,3": ascending, each once,
// none above `highest`. kInvalidPlan for anything else, the empty list included.
Result<std::vector<int>> parse_index_list(std::string_view text, int highest);

}  // namespace rtsweep
