// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/counters.h"
#include "analysis/machine_facts.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// A table of counts by CPU, as /proc/interrupts and /proc/softirqs print it.
struct CountTable {
  struct Row {
    std::vector<uint64_t> counts;  // one for each of `cpus`; fewer where the kernel prints fewer
    std::string name;              // what follows the counts
  };
  std::vector<int> cpus;
  std::map<std::string, Row> rows;  // by what stands before the colon
};

// Lines that are no rows are passed over.
CountTable parse_count_table(std::string_view text);

// Who serves each numbered interrupt, where it may go, and the priority of its thread
// (looked up among `tasks`: threads are called "irq/24-name").
std::map<std::string, InterruptSetup> read_interrupt_setup(const HostRoot& host,
                                                           const std::vector<RtTask>& tasks);

}  // namespace rtsweep
