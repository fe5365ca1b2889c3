// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string_view>

#include "runner/host/host_root.h"

namespace rtsweep {

// CPU time in seconds of the running kernel threads with this name, or with this name and
// a CPU's number ("hwlatd/3"); empty when there are none.
std::optional<double> kernel_thread_time(const HostRoot& host, std::string_view name);

}  // namespace rtsweep
