// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include "analysis/redaction.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// Tells the redactor what this machine knows of itself: its host name, the names of the
// people who log in, its machine id and serial numbers, and who runs this program. They may
// stand anywhere, without a word beside them that gives them away.
void know_this_machine(Redactor& redactor, const HostRoot& host);

}  // namespace rtsweep
