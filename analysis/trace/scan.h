// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rtsweep {

// Small steps through a line: each takes what it returns off the front of `rest`, and
// leaves `rest` alone where it returns nothing.
namespace scan {

void blanks(std::string_view& rest);
bool literal(std::string_view& rest, std::string_view text);
std::optional<int64_t> integer(std::string_view& rest);   // "-12", at most 18 digits
std::optional<uint64_t> natural(std::string_view& rest);  // "12", at most 18 digits
std::string_view word(std::string_view& rest);            // up to a blank; empty at the end

// "7542.703768" as nanoseconds; one to nine digits behind the point.
std::optional<int64_t> seconds(std::string_view& rest);

// "1000131 us", "0.198 us" in nanoseconds, "us" included.
std::optional<int64_t> microseconds(std::string_view& rest);

}  // namespace scan

// The value of "key=value" in an event's text, up to the next blank; empty without it.
std::string_view field(std::string_view text, std::string_view key);
std::optional<int64_t> number_field(std::string_view text, std::string_view key);

}  // namespace rtsweep
