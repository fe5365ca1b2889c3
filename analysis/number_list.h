// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

namespace rtsweep {

// A whole decimal number and nothing else.
std::optional<int64_t> parse_whole(std::string_view text);

// Numbers of CPUs or nodes as the kernel writes lists: "0-1,3" is {0, 1, 3}, "" is {}.
// Nothing for what is no such list, and for a range of more than 8192.
std::optional<std::set<int>> parse_number_list(std::string_view text);

// A size as the kernel's memparse() reads it, in bytes: "512M", "1G", "4096".
std::optional<int64_t> parse_size(std::string_view text);

}  // namespace rtsweep
