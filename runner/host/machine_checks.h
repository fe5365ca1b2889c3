// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include "analysis/observation.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// What /proc and /sys say now about everything that the rules of `rtsweep check` ask of a
// machine: governors, idle states, hugepages, watchdogs, real-time tasks, interrupts, heat.
// kernel-configs/rt-rules.toml lists the names. What cannot be read (not root, an older
// kernel, another architecture) is left out: unknown. Changes nothing.
Observations read_machine_checks(const HostRoot& host);

}  // namespace rtsweep
