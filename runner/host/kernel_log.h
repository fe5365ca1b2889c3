// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>

#include "runner/base/result.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// The kernel's messages since boot, as far as its ring buffer still has them: syslog(2) on
// this machine, the file dmesg.txt or var/log/dmesg of a captured tree. kIo when it may not
// be read (kernel.dmesg_restrict) or is not there.
Result<std::string> read_kernel_log(const HostRoot& host);

}  // namespace rtsweep
