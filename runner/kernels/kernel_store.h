// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runner/base/command.h"
#include "runner/base/result.h"
#include "runner/kernels/archive.h"
#include "runner/kernels/cache.h"
#include "runner/kernels/kernels.h"

namespace rtsweep {

// The kernel of an entry, from the cache or else from Debian's archive: its image,
// its modules with modules.dep, its config, its System.map (in Debian's packages only
// a note that says where the real one is). Beside them, kernel.json says what it is.
//
// kPinned gives the version that was fetched before, without network; kNewest what
// the archive has now. kBadData when its config contradicts the entry's `rt`.
Result<Kernel> fetch_kernel(const Cache& cache, CommandRunner& commands, const KernelEntry& entry,
                            Freshness freshness = Freshness::kPinned);

// The same, but only if it is in the cache: asks nobody and changes nothing.
std::optional<Kernel> cached_kernel(const Cache& cache, CommandRunner& commands,
                                    const KernelEntry& entry);

// A kernel that is neither Debian's nor ours.
struct KernelFiles {
  std::string name;
  std::string arch;
  std::filesystem::path image;    // what the boot loader loads
  std::filesystem::path modules;  // .../lib/modules/RELEASE; may be empty
  std::filesystem::path config;   // may be empty
};

// Checks that the files are there (kInvalidPlan otherwise). The release is the name of
// the modules' directory, or what the image says of itself. `rt` is unknown without
// a config.
Result<Kernel> kernel_by_path(const KernelFiles& files);

// Whether a .config has CONFIG_PREEMPT_RT=y.
bool config_is_rt(std::string_view config);

}  // namespace rtsweep
