// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rtsweep {

// How many samples past its trigger cyclictest is told to keep (--spike-nodes).
inline constexpr size_t kMostSpikes = 16'384;

// A line of cyclictest --spike: one sample past its trigger, with its exact size.
struct CyclictestSpike {
  int thread = 0;
  int64_t latency = 0;       // in the run's unit
  int64_t timestamp_us = 0;  // of cyclictest's clock (CLOCK_MONOTONIC), when it had read it

  bool operator==(const CyclictestSpike&) const = default;
};

// "T: 0 Spike:     123: TS:  1234567890"; empty for any other line.
std::optional<CyclictestSpike> parse_spike(std::string_view line);

// The thread that ended a run with --breaktrace: "# Break thread: 129" is 129; -1 without one.
int break_thread(std::string_view output);

// The samples of thread 0: "# Total: 000005015 000005014" is 5,015; 0 where it does not say.
uint64_t total_cycles(std::string_view output);

// All such lines of cyclictest's output, in their order, which is that of time.
std::vector<CyclictestSpike> spikes_in(std::string_view output);

}  // namespace rtsweep
