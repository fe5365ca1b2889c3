// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <sys/types.h>

#include <optional>

#include "runner/host/host_root.h"

namespace rtsweep {

// How a VM's emulator fares on its host. Only a clock that runs on while the VM does
// not makes a difference of it.

// Whether it is stopped: by SIGSTOP, a debugger, a frozen terminal.
bool is_stopped(const HostRoot& host, pid_t pid);

// How long its threads that run guest CPUs were ready to run and had no CPU of the host,
// in seconds since they started (Documentation/scheduler/sched-stats.rst). Nothing where
// the kernel keeps no such account. QEMU names these threads "CPU 0/KVM", "CPU 0/TCG" or,
// without -name debug-threads=on, like itself: then all of its threads count.
std::optional<double> waited_for_cpu_s(const HostRoot& host, pid_t pid);

}  // namespace rtsweep
