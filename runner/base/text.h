// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rtsweep {

// The parts between the separators, empty ones too; "" is {""}.
std::vector<std::string> split(std::string_view text, char separator);

// The words between runs of blanks, tabs and newlines; "" is {}.
std::vector<std::string> words(std::string_view text);

// Without blanks at either end.
std::string_view trim(std::string_view text);

std::string join(std::span<const std::string> parts, std::string_view separator);

// Numbers that ascend, as the kernel writes a list of CPUs: {0, 1, 2, 5} is "0-2,5".
std::string number_ranges(std::span<const int> numbers);

// The whole number right behind the first `words`: 8 of "offset:8;" behind "offset:".
std::optional<int64_t> number_behind(std::string_view text, std::string_view words);

// The argument vector as a line that a POSIX shell reads back the same.
std::string shell_quote(std::span<const std::string> argv);

// The candidate that `word` was most likely meant to be: least edit distance
// (insertions, deletions, replacements, swaps of neighbours), at most a third of
// the longer word. Empty when none is near.
std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string> candidates);

}  // namespace rtsweep
