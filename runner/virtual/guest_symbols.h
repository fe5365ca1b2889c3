// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <atomic>
#include <filesystem>

#include "analysis/path/kernel_symbols.h"
#include "runner/boot/target.h"
#include "runner/run/run_directory.h"

namespace rtsweep {

// The symbols of a trial's kernel, with the modules that its loads need, as a guest reads them
// in /proc/kallsyms. Their addresses are those of every boot, since the kernel is not moved
// (nokaslr) and inserts the modules in one order. Takes a boot the first time; later ones find
// it in the cache. `scratch` is made.
Result<KernelSymbols> guest_symbols(const RunDirectory& run, const PlannedTrial& trial,
                                    const std::filesystem::path& guests,
                                    const std::filesystem::path& scratch,
                                    const std::atomic<bool>& stop, const Listener& listener);

}  // namespace rtsweep
