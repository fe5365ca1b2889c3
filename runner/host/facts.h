// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/machine_facts.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// Whether a kernel is PREEMPT_RT, by its own `uname -v`: "PREEMPT_RT" since 5.4,
// "PREEMPT RT" in the out-of-tree patches before, "PREEMPT_{RT,...}" since 6.16.
// Empty when the text is. /sys/kernel/realtime is not asked: mainline has none.
std::optional<bool> rt_from_version(std::string_view uname_v);

// Whether a .config says CONFIG_PREEMPT_RT=y (or PREEMPT_RT_FULL of old patches).
bool rt_from_config(std::string_view config);

// uname -m of the measured machine.
std::string machine_name(const HostRoot& host);

// What the machine says of itself now. What it does not say stays unknown.
MachineFacts read_facts(const HostRoot& host);

}  // namespace rtsweep
