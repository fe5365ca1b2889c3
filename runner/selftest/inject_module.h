// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>

#include "runner/base/command.h"
#include "runner/kernels/cache.h"
#include "runner/kernels/kernels.h"

namespace rtsweep {

// The module that delays a kernel on purpose (its source is in inject/ beside this file, or
// installed in share/rtsweep/inject), built for a kernel that a plan can name.
Result<std::filesystem::path> injection_module(const Cache& cache, CommandRunner& commands,
                                               const std::string& kernel, const std::string& arch);

}  // namespace rtsweep
