// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>
#include <vector>

#include "runner/host/host_root.h"

namespace rtsweep {

// The running kernel threads with this name, or with this name and a CPU's number
// ("timerlat/3").
std::vector<pid_t> kernel_threads(const HostRoot& host, std::string_view name);

// CPU time in seconds of the running kernel threads called so; empty when there are none.
std::optional<double> kernel_thread_time(const HostRoot& host, std::string_view name);

}  // namespace rtsweep
