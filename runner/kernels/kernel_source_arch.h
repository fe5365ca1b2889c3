// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

// How a kernel for an architecture is built with Debian's cross compilers.
//
// Debian's native gcc has the prefixed names too (aarch64-linux-gnu-gcc on arm64), so
// the same CROSS_COMPILE holds on this machine and in the guest, and the commands that
// Kbuild saved here are those that it would give there.
struct KernelSourceArch {
  std::string_view name;              // Debian's: "arm64"
  std::string_view kernel;            // ARCH=
  std::string_view directory;         // below arch/
  std::string_view cross;             // CROSS_COMPILE=
  std::string_view compiler_package;  // Debian package with that compiler
  std::string_view library_package;   // and with its static C library
  bool objtool = false;               // its objects are checked by tools/objtool
};

// kNotSupported for others than amd64, i386, arm64 and armhf.
Result<KernelSourceArch> kernel_source_arch(std::string_view name);

// A program that the preparation runs, and Debian's package of it.
struct NeededProgram {
  std::string program;
  std::string package;
};

std::vector<NeededProgram> programs_to_prepare(const KernelSourceArch& arch);

// Variables of make that are the same here and in the guest: architecture, compiler,
// and all that Kbuild would otherwise ask the machine for. `compiler_version` is the
// first line of the compiler's --version as the configuration has it; the guest's may
// differ in Debian's revision.
std::vector<std::string> make_variables(const KernelSourceArch& arch,
                                        std::string_view compiler_version);

}  // namespace rtsweep
