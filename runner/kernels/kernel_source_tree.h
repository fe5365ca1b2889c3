// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/kernels/kernel_source_arch.h"
#include "runner/kernels/kernel_source_saved.h"

namespace rtsweep {

// Regular files below a directory, relative to it.
using FileSet = std::set<std::string>;

Result<FileSet> files_below(const std::filesystem::path& directory);

// A kernel tree in which everything has been made or, by a reading compiler, looked at.
struct KernelTree {
  std::filesystem::path directory;
  FileSet published;  // files of the source package
  FileSet prepared;   // those, and what `make prepare` made
  FileSet all;        // everything
};

// All that Kbuild saved about what it made.
Result<std::vector<SavedCommand>> read_saved_commands(const KernelTree& tree);

// What a build in the guest reads, sorted: of the published files those that went into
// anything, makefiles of visited directories, and scripts; what was prepared; and the
// programs and generated sources that the build made on its way, but no object.
std::vector<std::string> files_for_guest(const KernelTree& tree, const KernelSourceArch& arch,
                                         const std::vector<SavedCommand>& saved);

// Programs that the guest's make runs and so must be built for it, in the order to
// build them: objects first.
std::vector<SavedCommand> programs_for_guest(const std::vector<SavedCommand>& saved);

}  // namespace rtsweep
