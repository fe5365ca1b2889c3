// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "runner/kernels/kernel_source_arch.h"

// Texts that the preparation writes into the tree or beside it.

namespace rtsweep {

// Where the answers of compiler_probes() are kept, below the tree.
inline constexpr std::string_view kProbesFile = "scripts/rtsweep-probes.mk";

// To be appended to scripts/Makefile.compiler: Kbuild asks the compiler some 40
// questions at each start of make ("do you know -Wrestrict?"), four processes each and
// all in all 13 s of virtual time. This keeps the answers in kProbesFile, as Linux 4.15
// to 4.17 did, and asks only what it has not asked before.
std::string compiler_probes();

// The content of kProbesFile without what order and number of make's jobs did to it:
// sorted, each answer once.
std::string sorted_probes(std::string_view kept);

// A compiler that reads sources but compiles none: it writes the list of included files
// as `compiler` would, and in place of the object a copy of `object`. A build with it
// visits all directories and finds all files, in a tenth of the time. Assembler files,
// and C files whose objects the build looks into, are compiled.
std::string reading_compiler(const std::filesystem::path& compiler,
                             const std::filesystem::path& object);

// The guest's /usr/src/linux/rtsweep-build: `sh rtsweep-build JOBS` builds vmlinux,
// removes all objects and begins again, until it is killed or make fails. Its output is
// that of make, one line for each object when it is finished.
//
// The directories with the smallest objects come first, so that a measurement of some
// seconds of virtual time sees more than one object finished. `prepare` has been done
// on the host; make is told so by -o.
std::string build_script(const KernelSourceArch& arch, std::span<const std::string> variables);

}  // namespace rtsweep
