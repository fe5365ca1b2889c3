// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/expected_time.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace rtsweep {
namespace {

// Host seconds from the start of QEMU to the first measurement, and from the last to
// power-off.
struct BootCost {
  std::string_view arch;
  double seconds;
};
constexpr BootCost kBoots[] = {{"amd64", 8}, {"i386", 8}, {"arm64", 4}, {"armhf", 6}};

// Host seconds for one second of a virtual clock. The clock counts instructions, so
// an idle guest's seconds are skipped and a busy one's are emulated one by one.
struct LoadCost {
  std::string_view load;
  double per_second;
};
constexpr LoadCost kLoads[] = {{"idle", 0.15},     {"cpu", 1.0},          {"memory", 1.0},
                               {"hackbench", 1.3}, {"kernel-build", 0.6}, {"sd-write", 0.6}};
constexpr double kUnknownLoad = 1.0;

// QEMU cannot record 32-bit Arm kernels after 6.1 (see docs/virtual-time.md), so there a
// result counts only when two runs agree.
int runs_needed(const Plan& plan, const Cell& cell) {
  const std::string kernel = level_of(cell, "kernel");
  const bool old = kernel == "6.1" || kernel.starts_with("6.1-") || kernel.starts_with("6.1.");
  return plan.virtual_clock && kernel_arch(plan, cell) == "armhf" && !old ? 2 : 1;
}

// On this machine: start and proof of the loads, and their end.
constexpr double kLocalOverhead = 2;

double boot_cost(std::string_view arch) {
  const auto* found = std::ranges::find(kBoots, arch, &BootCost::arch);
  return found == std::end(kBoots) ? kBoots[0].seconds : found->seconds;
}

double load_cost(std::string_view load) {
  const auto* found = std::ranges::find(kLoads, load, &LoadCost::load);
  return found == std::end(kLoads) ? kUnknownLoad : found->per_second;
}

// Loads together keep the one CPU as busy as the busiest of them alone.
double cost_per_second(const Cell& cell) {
  double cost = 0;
  for (const std::string& load : load_names(cell)) cost = std::max(cost, load_cost(load));
  return cost;
}

}  // namespace

int parallel_jobs(const Plan& plan, int host_cpus) {
  if (plan.target != "vm") return 1;
  if (plan.vm_jobs > 0) return plan.vm_jobs;
  return plan.virtual_clock ? std::max(1, host_cpus) : 1;
}

std::chrono::seconds expected_trial_time(const Plan& plan, const Cell& cell) {
  const auto duration = static_cast<double>(plan.duration_s);
  double seconds = duration + kLocalOverhead;
  if (plan.target == "vm") {
    seconds = boot_cost(kernel_arch(plan, cell)) +
              (plan.virtual_clock ? duration * cost_per_second(cell) : duration);
    seconds *= runs_needed(plan, cell);
  }
  return std::chrono::seconds(std::llround(std::ceil(seconds)));
}

std::chrono::seconds expected_time(const Plan& plan, std::span<const PlannedTrial> trials,
                                   int jobs) {
  // When each job is free again; the next trial goes to the first that is.
  std::vector<std::chrono::seconds> free_at(static_cast<size_t>(std::max(1, jobs)));
  for (const PlannedTrial& trial : trials) {
    *std::ranges::min_element(free_at) += expected_trial_time(plan, trial.cell);
  }
  return *std::ranges::max_element(free_at);
}

}  // namespace rtsweep
