// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <functional>

#include "runner/boot/target.h"
#include "runner/host/host_root.h"

namespace rtsweep {

using TargetFactory =
    std::function<Result<std::unique_ptr<Target>>(std::string_view, const TargetContext&)>;

// The whole program: reads the command line, does the command, returns the exit code.
// Tests bring targets of their own, and a host on which left-over tuning is undone.
int run_program(int argc, char** argv, const TargetFactory& targets,
                const HostRoot& host = HostRoot());

}  // namespace rtsweep
