// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rtsweep {

// Text from elsewhere (plans, kernels, consoles), made fit for a fixed-width page.

// Valid UTF-8 without control characters, escape sequences and marks that turn the
// direction of text: each becomes '?'. Newlines and tabs become blanks.
std::string printable(std::string_view text);

// The same, with its lines kept apart; without empty lines at the end.
std::vector<std::string> printable_lines(std::string_view text);

// Characters, not bytes: what a fixed-width font shows. For printable() text.
size_t columns_of(std::string_view text);

// At most `columns` of it, with "..." in the place of what is left out.
std::string clip(std::string_view text, size_t columns);

// Lines of at most `width` columns, each beginning with `indent` blanks, the first
// one with `first` instead. Words longer than a line are broken.
std::vector<std::string> wrap(std::string_view text, size_t width, size_t indent,
                              std::string_view first);

}  // namespace rtsweep
