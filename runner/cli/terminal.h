// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>

namespace rtsweep {

// Characters in a line of standard output: the terminal's, else $COLUMNS, else 100.
size_t output_width();

}  // namespace rtsweep
