// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runner/kernels/kernels.h"
#include "runner/plan/plan.h"

namespace rtsweep {

// What decides which trials of a plan are possible on a machine: plain facts, gathered
// by this_host (plan_host.h) or written down by a test.
struct PlanHost {
  std::string arch;                  // Debian's name of this machine's userland: "amd64"
  int kernel_bits = 64;              // of the running kernel
  std::string board;                 // "Raspberry Pi 5 Model B Rev 1.0"; empty: none named
  std::vector<int> nodes = {0};      // memory nodes of the running kernel; empty: no NUMA
  int highest_rt_priority = 99;      // that this process may give to a thread; 0: none
  int cpus = 1;                      // online
  std::vector<KernelEntry> kernels;  // what kernels.toml publishes
  std::set<std::string> programs;    // of those that plans need, the ones in PATH
  std::set<std::string> guests;      // architectures whose rtsweep-guest is built
  std::set<std::filesystem::path> missing_files;     // that the plan names and are not there
  std::map<std::string, std::string> load_refusals;  // what a load says of its options

  // Text of a kernel's .config, by name and architecture, where it is at hand. What it
  // says goes before what is known of Debian's kernels in general.
  std::map<std::pair<std::string, std::string>, std::string> configs;
};

// Why the trial cannot be measured on this machine, and what to do about it, in one
// sentence each; nothing when it can.
std::optional<std::string> impossible_reason(const Plan& plan, const PlannedTrial& trial,
                                             const PlanHost& host);

// The programs that must be in PATH for the cell, with Debian's package of each.
struct NeededProgram {
  std::string name;
  std::string package;
};
std::vector<NeededProgram> needed_programs(const Plan& plan, const Cell& cell);

}  // namespace rtsweep
