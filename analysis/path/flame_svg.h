// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace rtsweep {

// A flame graph: a function is as wide as its instructions with all that it called, and stands
// on its caller. Each has its numbers as a tooltip; too narrow ones are left out.
// `stacks` is CallPath::stacks.
std::string flame_svg(const std::string& title, const std::map<std::string, int64_t>& stacks);

}  // namespace rtsweep
