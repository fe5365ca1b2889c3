// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <vector>

#include "analysis/counters.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// All SCHED_FIFO, SCHED_RR and SCHED_DEADLINE threads of the machine, by pid. One small
// file is read for each thread; one that goes away in the middle is passed over.
std::vector<RtTask> rt_tasks(const HostRoot& host);

}  // namespace rtsweep
