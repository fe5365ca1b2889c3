// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/boot/target.h"
#include "runner/run/run_directory.h"

namespace rtsweep {

struct RerunOptions {
  std::filesystem::path guests;     // holds ARCH/rtsweep-guest
  std::filesystem::path directory;  // for the trial's files; is made
  std::string plugin;               // QEMU's argument of -plugin; empty: none
  std::string parameter;            // of the kernel, added to the command line; empty: none
};

// A trial that was measured again.
struct Rerun {
  // Fields of identity.json that are not what they were: "emulator", "initrd_sha256".
  // Never the emulator's argument vector, which has paths in it. Empty when a parameter was
  // added.
  std::vector<std::string> other_identity;
  bool same_results = false;  // every byte that left the guest
  bool same_console = false;

  // A bundle leaves out what left the guest, and its console is redacted: then samples count.
  bool has_results = false;
  bool same_samples = false;  // every thread's cycles and histogram; false when there are none

  bool exact() const {
    return other_identity.empty() && (has_results ? same_results && same_console : same_samples);
  }
};

// Measures a trial of virtual time once more: same kernel, userland, command line, seed, and
// an SD card as new. The run directory stays as it is. kNotSupported for a trial whose clock
// is not virtual; kBadData when the VM did not come to its end.
Result<Rerun> rerun_trial(const RunDirectory& run, const PlannedTrial& trial,
                          const RerunOptions& options, const std::atomic<bool>& stop,
                          const Listener& listener);

}  // namespace rtsweep
