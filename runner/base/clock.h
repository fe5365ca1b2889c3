// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace rtsweep {

// "2026-11-30T18:40:01Z": ISO 8601, UTC, to the second.
std::string utc_now();

// "2 h 05 min", "3 min 20 s", "42 s": for people; whole seconds.
std::string human_duration(std::chrono::seconds duration);

// Seconds of the host's boot-time clock: goes on during suspend, never jumps.
double boottime_s();

// CLOCK_MONOTONIC, the clock of the traces.
int64_t monotonic_ns();

}  // namespace rtsweep
