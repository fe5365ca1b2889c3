// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rtsweep {

// The text in lines of at most `width` characters, each after `indent` blanks, broken
// between words; a longer word has a line of its own. Ends with a newline.
std::string wrapped(std::string_view text, size_t indent, size_t width);

// Rows of cells in columns that are as wide as they must be, two blanks apart and after
// two more; the first row is the header. Nothing when a row would be wider than `width`.
std::optional<std::string> columns(std::span<const std::vector<std::string>> rows, size_t width);

// Numbers that ascend, in short: {1, 2, 3, 7} is "1-3, 7".
std::string ranges_text(std::span<const int> numbers);

}  // namespace rtsweep
