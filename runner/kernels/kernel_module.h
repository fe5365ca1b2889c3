// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <string>

#include "runner/base/command.h"
#include "runner/base/result.h"
#include "runner/kernels/cache.h"
#include "runner/kernels/kernels.h"

namespace rtsweep {

// A kernel module's source: a directory with a Kbuild file.
struct ModuleSource {
  std::string name;  // "rtsweep_inject": the .ko's
  std::filesystem::path directory;
};

// The module built for a kernel of Debian's, of this machine's architecture or another, against
// the headers of the very same version from Debian's archive; the .ko is kept in the cache and
// made again when the source or the kernel changes. `kernel` must be what fetch_kernel() made
// of `entry`.
//
// The compiler is this machine's (Debian's cross compiler for other architectures), whatever
// made the kernel. kNotSupported when it is missing or the headers are not to be had any more.
Result<std::filesystem::path> build_module(const Cache& cache, CommandRunner& commands,
                                           const KernelEntry& entry, const Kernel& kernel,
                                           const ModuleSource& source);

}  // namespace rtsweep
