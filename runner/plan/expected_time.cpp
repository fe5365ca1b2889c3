// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/expected_time.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace rtsweep {
namespace {

// What an emulated architecture costs: host seconds from the start of QEMU to the load,
// and how much slower than arm64 its busy seconds are.
struct ArchCost {
  std::string_view arch;
  double boot;
  double slowdown;
};
constexpr ArchCost kArches[] = {
    {"arm64", 3, 1.0}, {"armhf", 7, 1.5}, {"amd64", 7, 1.1}, {"i386", 7, 1.3}};

// Host seconds until the load works, and for one second of a virtual clock beside it.
// The clock counts instructions, so an idle guest's seconds are skipped and a busy
// one's are emulated one by one.
struct LoadCost {
  std::string_view load;
  double start;
  double per_second;
};
constexpr LoadCost kLoads[] = {{"idle", 0, 0.15},    {"cpu", 2, 0.4},
                               {"memory", 1, 1.3},   {"hackbench", 4, 1.35},
                               {"sd-write", 2, 2.2}, {"kernel-build", 12, 1.25},
                               {"command", 1, 1.0}};

// QEMU cannot record 32-bit Arm kernels after 6.1 (see docs/virtual-time.md), so there a
// result counts only when two runs agree.
int runs_needed(const Plan& plan, const Cell& cell) {
  const std::string kernel = level_of(cell, "kernel");
  const bool old = kernel == "6.1" || kernel.starts_with("6.1-") || kernel.starts_with("6.1.");
  return plan.virtual_clock && kernel_arch(plan, cell) == "armhf" && !old ? 2 : 1;
}

// On this machine: start and proof of the loads, and their end.
constexpr double kLocalOverhead = 2;

const ArchCost& arch_cost(std::string_view arch) {
  const auto* found = std::ranges::find(kArches, arch, &ArchCost::arch);
  return found == std::end(kArches) ? kArches[0] : *found;
}

const LoadCost& load_cost(std::string_view load) {
  const auto* found = std::ranges::find(kLoads, load, &LoadCost::load);
  return found == std::end(kLoads) ? *std::prev(std::end(kLoads)) : *found;
}

// Loads together keep the one CPU as busy as the busiest of them alone.
double virtual_trial(const Plan& plan, const Cell& cell) {
  double start = 0;
  double per_second = 0;
  for (const std::string& load : load_names(cell)) {
    start += load_cost(load).start;
    per_second = std::max(per_second, load_cost(load).per_second);
  }
  const ArchCost& arch = arch_cost(kernel_arch(plan, cell));
  const double busy = start + static_cast<double>(plan.duration_s) * per_second;
  return (arch.boot + busy * arch.slowdown) * runs_needed(plan, cell);
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
    seconds = plan.virtual_clock ? virtual_trial(plan, cell)
                                 : arch_cost(kernel_arch(plan, cell)).boot + duration;
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
