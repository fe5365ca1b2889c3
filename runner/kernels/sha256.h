// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace rtsweep {

// SHA-256 as 64 lower-case hexadecimal digits, as sha256sum prints it.
std::string sha256(std::string_view data);

// Of a file's content, read in pieces.
Result<std::string> sha256_of_file(const std::filesystem::path& file);

}  // namespace rtsweep
