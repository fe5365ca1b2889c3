// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runner/host/host_root.h"
#include "runner/plan/feasibility.h"

namespace rtsweep {

// What cannot be read from /sys and /proc.
struct HostSources {
  std::string arch;                  // Debian's name of our own userland
  std::string search_path;           // $PATH
  std::filesystem::path guests;      // holds ARCH/rtsweep-guest
  std::vector<KernelEntry> kernels;  // kernels.toml
  std::map<std::pair<std::string, std::string>, std::string> configs;  // see PlanHost
};

// The facts of this machine that decide about the plan's trials. Starts and changes
// nothing.
PlanHost this_host(const HostRoot& host, const Plan& plan, const HostSources& sources);

}  // namespace rtsweep
