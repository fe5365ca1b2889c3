// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>

#include "runner/boot/vm_parts.h"

namespace rtsweep {

// "kvm" if this machine can really run that guest with it, else "tcg". That /dev/kvm
// exists proves nothing (nested, forbidden, of another architecture): a guest is booted
// with it and must measure for a second. Scratch files go to the cache.
Result<std::string> proved_accelerator(const Cache& cache, const VmParts& parts);

}  // namespace rtsweep
