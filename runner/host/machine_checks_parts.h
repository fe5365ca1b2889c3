// SPDX-License-Identifier: GPL-2.0-or-later

// The parts of read_machine_checks(): each adds the observations of one area.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/observation.h"
#include "runner/host/host_root.h"
#include "runner/host/read_values.h"

namespace rtsweep::machine_checks {

void read_cpus(const HostRoot& host, Observations& observed);        // clock, idle states, SMT
void read_memory(const HostRoot& host, Observations& observed);      // hugepages, NUMA, swap
void read_tasks(const HostRoot& host, Observations& observed);       // real-time tasks, irqbalance
void read_interrupts(const HostRoot& host, Observations& observed);  // on isolated CPUs
void read_heat(const HostRoot& host, Observations& observed);
void read_kernel(const HostRoot& host, Observations& observed);  // sysctls, taint, hypervisor

// The file's text without blanks at its ends; nothing when it cannot be read.
std::optional<std::string> text_in(const HostRoot& host, const std::string& file);

// Observes the value of a file under its own name; nothing when it cannot be read.
void observe_file(const HostRoot& host, const std::string& name, const std::string& file,
                  Observations& observed);

// "CPU 0-3: powersave" for each value, in the order of the values.
void observe_by_cpu(const std::string& name, const std::string& source,
                    const std::map<std::string, std::vector<int>>& cpus_of_value,
                    Observations& observed);

}  // namespace rtsweep::machine_checks
