// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/capture/ring_pages.h"

namespace rtsweep {

// The lines of /proc/kallsyms that may be meant by any word in the recorded pages, and of each
// the next symbol, where it ends: thousands of bytes instead of millions, and every function
// of the trace keeps its name. Addresses are `long_bytes` wide.
std::string mentioned_symbols(const std::string& kallsyms, const std::vector<CpuPages>& cpus,
                              size_t long_bytes);

}  // namespace rtsweep
