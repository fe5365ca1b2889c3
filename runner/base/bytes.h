// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <string_view>

namespace rtsweep {

// A number of `size` bytes (1, 2, 4 or 8) as the machine that wrote it does; what is not
// there counts as 0.
uint64_t number_at(std::string_view bytes, size_t offset, size_t size, bool big_endian);

}  // namespace rtsweep
