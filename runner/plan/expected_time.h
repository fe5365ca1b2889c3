// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <chrono>
#include <span>

#include "runner/plan/plan.h"

namespace rtsweep {

// VMs that run at once on a machine with that many CPUs.
int parallel_jobs(const Plan& plan, int host_cpus);

// Host time for one trial, by what was measured on a machine of two cores of about
// 3 GHz without KVM; another machine may need half or twice of it. Kernels and guests
// are taken to be fetched and built.
std::chrono::seconds expected_trial_time(const Plan& plan, const Cell& cell);

// Host time for these trials, begun in their order by so many jobs at once.
std::chrono::seconds expected_time(const Plan& plan, std::span<const PlannedTrial> trials,
                                   int jobs);

}  // namespace rtsweep
