// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>

#include "analysis/history.h"

namespace rtsweep {

// One cell over its runs, oldest on the left: the typical worst interval as a line, the run maximum
// as dots, us on a logarithmic axis; changes are dashed lines at the run where they began.
std::string history_svg(const CellHistory& history, const std::string& title);

}  // namespace rtsweep
