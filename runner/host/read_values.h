// SPDX-License-Identifier: GPL-2.0-or-later

// Reading the kernel's small files, for code that takes what is there and leaves
// unknown what is not.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/host/host_root.h"

namespace rtsweep {

// The file's text without blanks at either end; empty when it cannot be read.
std::string text_of(const HostRoot& host, std::string_view file);

// A whole decimal number and nothing else.
std::optional<int64_t> number_in(std::string_view text);

// The number that is the file's text.
std::optional<int64_t> number_of(const HostRoot& host, std::string_view file);

// Names of what is in a directory, sorted; empty when it cannot be read.
std::vector<std::string> names_in(const HostRoot& host, std::string_view directory);

// The value after "name:" in /proc/meminfo, /proc/cpuinfo and the like; empty without one.
std::string colon_field(std::string_view text, std::string_view name);

}  // namespace rtsweep
