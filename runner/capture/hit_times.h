// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <span>
#include <vector>

#include "analysis/capture_result.h"
#include "runner/capture/outlier_trigger.h"

namespace rtsweep {

// Gives hits their at_us where cyclictest printed none: a 32-bit build of rt-tests 2.4 prints 0 in
// its place, as it passes 64-bit numbers for a format of 32 bits.
//
// Hits of a CPU and its late wakeups are both in the order of time, and each hit is one of
// the wakeups: of all ways to pair them in order, that one is taken in which the time from
// reading the clock to going to sleep varies least. Hits stay as they are where there are
// fewer wakeups than hits.
void complete_times(std::vector<CaptureHit>& hits, std::span<const LateWakeup> late);

}  // namespace rtsweep
