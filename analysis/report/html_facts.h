// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>

#include "analysis/run_report.h"

namespace rtsweep {

// Name and value of everything that the machine said of itself, as rows of a <dl>; lists
// that are longer than a few lines are folded. Empty when it said nothing.
std::string facts_html(const TrialResult& trial);

// What happened on the machine while the probe measured: interrupts and softirqs by CPU,
// the busiest first, and what rtsweep itself used. Empty when nothing was counted.
std::string measurement_html(const TrialResult& trial);

}  // namespace rtsweep
