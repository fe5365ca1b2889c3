// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rtsweep {

// What a load was doing for a while: "compile", "clean".
struct LoadPhase {
  std::string name;
  int64_t begin_us = 0;  // CLOCK_BOOTTIME, which is CLOCK_MONOTONIC unless the machine slept
  int64_t end_us = 0;

  bool operator==(const LoadPhase&) const = default;
};

// The phases that a load told of itself, one line each: the seconds of /proc/uptime at which
// it began (to a hundredth), and its name. A phase lasts until the next line, the last one until
// `end_us`. Other lines are passed over; at most 10,000 are taken.
std::vector<LoadPhase> parse_load_phases(std::string_view text, int64_t end_us);

}  // namespace rtsweep
