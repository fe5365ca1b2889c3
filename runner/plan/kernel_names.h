// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/kernels/kernels.h"
#include "runner/plan/plan.h"

namespace rtsweep {

// Refuses (kInvalidPlan, as parse_plan does) a plan that names a kernel which is
// neither in kernels.toml nor one of its own, one of its own under a name of
// kernels.toml, and a kernel that is not PREEMPT_RT where the plan expects RT.
//
// A known kernel that is not published for an architecture is no mistake of the plan:
// see impossible_reason.
Result<void> check_kernels(const Plan& plan, std::span<const KernelEntry> known);

// Whether the kernel of the cell should prove to be PREEMPT_RT. True in a plan that
// expects RT; in any other plan what kernels.toml says of that kernel, so that a
// non-RT kernel may stand beside RT ones without an RT kernel's failure passing for
// it. Empty when nothing is known: a kernel by path, the running kernel.
std::optional<bool> expected_rt(const Plan& plan, const Cell& cell,
                                std::span<const KernelEntry> known);

// Debian's architectures for which kernels.toml has the kernel, in its order.
std::vector<std::string> published_arches(std::string_view kernel,
                                          std::span<const KernelEntry> known);

}  // namespace rtsweep
