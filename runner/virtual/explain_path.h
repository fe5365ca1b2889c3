// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <atomic>
#include <filesystem>

#include "analysis/path/path_explanation.h"
#include "runner/boot/target.h"
#include "runner/run/run_directory.h"

namespace rtsweep {

struct ExplainPathOptions {
  std::filesystem::path guests;   // holds ARCH/rtsweep-guest
  std::filesystem::path plugin;   // rtsweep-path-plugin.so
  std::filesystem::path scratch;  // an empty directory; the trial is measured again in it
  size_t worst = 1;               // how many wakeups to look into, at most 64
};

// Measures a trial of virtual time again, twice, with the path plugin: first to find the
// worst wakeups, then to see what was executed in them. The first trial of a kernel takes
// a boot more, for its symbols. Errors are those of rerun_trial(), guest_symbols() and
// path_machine(); kBadData when no wakeup was seen.
Result<PathExplanation> explain_path(const RunDirectory& run, const PlannedTrial& trial,
                                     const ExplainPathOptions& options,
                                     const std::atomic<bool>& stop, const Listener& listener);

// Where the plugin of this build or installation is: $RTSWEEP_PATH_PLUGIN, else beside the
// program.
std::filesystem::path path_plugin_file();

}  // namespace rtsweep
