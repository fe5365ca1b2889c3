// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include "analysis/machine_facts.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// Sizes, huge pages, CMA, NUMA nodes with their memory and distances, the memory policy
// that this process gives to its children, and what the kernel said of CMA and NUMA when
// it booted.
void read_memory_facts(const HostRoot& host, MachineFacts& facts);

}  // namespace rtsweep
