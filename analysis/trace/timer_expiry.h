// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>

#include "analysis/trace/trace.h"

namespace rtsweep {

// The hrtimer_expire_entry in whose callback events[index] (a waking) happens; empty when it
// happens in none.
std::optional<size_t> expiring_timer(const Trace& trace, size_t index);

// The programmed expiry of the timer whose hrtimer_expire_entry events[entry] is.
std::optional<int64_t> expiry_of(const Trace& trace, size_t entry);

// The programmed expiry, in the trace clock's time, of the timer whose callback runs at
// events[index]. Its hrtimer_start must be in the trace; hrtimer_expire_entry's `now` gives
// the difference of the clocks, to about a microsecond.
std::optional<int64_t> programmed_expiry(const Trace& trace, size_t index);

}  // namespace rtsweep
