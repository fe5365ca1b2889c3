// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rtsweep {

bool is_elf(std::string_view file);

// The shared libraries that a little-endian ELF file, 32- or 64-bit, names as needed
// (DT_NEEDED), in its order. Empty for a static program, and for anything damaged or
// not ELF at all.
std::vector<std::string> needed_libraries(std::string_view file);

}  // namespace rtsweep
