// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace rtsweep {

// "10s", "5m", "2h", "1h30m": hours, minutes and seconds in this order, each at most
// once, whole numbers, at most a year. kInvalidPlan otherwise.
Result<std::chrono::seconds> parse_duration(std::string_view text);

// The shortest way to write it that parse_duration reads back: "1h30m"; "0s".
std::string duration_text(std::chrono::seconds duration);

}  // namespace rtsweep
