// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "runner/kernels/kernels.h"
#include "runner/plan/feasibility.h"
#include "runner/plan/plan.h"

namespace rtsweep {

// Reads a plan and checks the names of its kernels; with them what kernels.toml has.
Result<std::pair<Plan, std::vector<KernelEntry>>> read_plan_file(const std::filesystem::path& file);

// All that decides which of the plan's trials are possible here, the .config of kernels
// that were fetched before included. Starts, fetches and changes nothing.
PlanHost facts_for(const Plan& plan, const std::vector<KernelEntry>& known);

}  // namespace rtsweep
