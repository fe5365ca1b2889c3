// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rtsweep {

// The word as a message can show it: in quotes, shortened, and with control
// characters written out, since a plan may come from elsewhere.
std::string shown_word(std::string_view word);

// 'unknown load "hackbensh"; did you mean "hackbench"?', or, when no right word is
// near, 'unknown load "x"; there are: cpu, hackbench, idle'.
std::string unknown_word(std::string_view what, std::string_view word,
                         std::span<const std::string> right);

}  // namespace rtsweep
