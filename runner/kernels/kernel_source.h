// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>

#include "runner/base/command.h"
#include "runner/base/result.h"
#include "runner/kernels/archive.h"
#include "runner/kernels/cache.h"
#include "runner/kernels/guest_layers.h"

// The kernel source tree that guests build (load kernel-build), prepared so far that
// the guest's make comes to its first object within two seconds of virtual time.

namespace rtsweep {

// Where the tree is in a guest. `sh rtsweep-build JOBS` in it builds it for ever.
inline constexpr std::string_view kKernelSourceDirectory = "/usr/src/linux";

// Debian's package of the source; of architecture "all".
inline constexpr std::string_view kKernelSourcePackage = "linux-source-6.1";

// A layer with the tree of `source`, a file of kKernelSourcePackage, at
// kKernelSourceDirectory: configured (tinyconfig), prepared, reduced to the files that
// a build of vmlinux reads, and with Kbuild's own programs built for the guest. Times
// are 0, so no file is newer than what was made of it.
//
// The first call for a source, an architecture and a compiler takes about 45 s of CPU
// and 1 GB of disk; later ones find the layer in the cache.
//
// `arch` is Debian's name. kNotSupported, with the package to install, when this
// machine lacks what the preparation needs, or when its cross compiler is not of the
// guest compiler's major version.
Result<GuestLayer> kernel_source_layer(const Cache& cache, CommandRunner& commands,
                                       const std::string& arch, const Deb& source);

}  // namespace rtsweep
