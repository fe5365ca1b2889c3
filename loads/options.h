// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "loads/load.h"

namespace rtsweep {

// A load's options as values. All fail with kInvalidPlan, naming the option, what
// it was set to and what it may be.

// The text of a declared option. "" when it is left to the load.
std::string option_text(const LoadContext& context, std::string_view name);

// A whole number from `least` to `most`; `automatic` when the option is "".
Result<int64_t> option_number(const LoadContext& context, std::string_view name, int64_t least,
                              int64_t most, int64_t automatic);

// Bytes: "4096", "64M"; K, M and G are powers of 1024. `automatic` when it is "".
Result<uint64_t> option_bytes(const LoadContext& context, std::string_view name, uint64_t least,
                              uint64_t most, uint64_t automatic);

// One of the given words; the error names the nearest.
Result<std::string> option_choice(const LoadContext& context, std::string_view name,
                                  std::initializer_list<std::string_view> choices);

// Bytes in the largest unit that divides them: "64M", "1537".
std::string bytes_text(uint64_t bytes);

}  // namespace rtsweep
