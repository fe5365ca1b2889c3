// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

// Wakeups that look to the kernel as cyclictest's do: a SCHED_FIFO thread of this name that
// sleeps until an absolute time.
struct PlantedWakeups {
  int pid = -1;                      // of the thread
  std::vector<double> latencies_us;  // as cyclictest would have counted them

  std::optional<double> median_us() const;
};

// Runs on `cpu` and waits until it is over: `count` wakeups, a millisecond apart.
Result<PlantedWakeups> plant_wakeups(int cpu, int priority, int count);

}  // namespace rtsweep
