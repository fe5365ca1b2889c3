// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/bundle/bundle_archive.h"
#include "runner/host/host_root.h"
#include "runner/run/run_directory.h"

namespace rtsweep {

// What of a run goes into a bundle as it is, but for redaction.
struct RawParts {
  std::vector<BundleFile> run;        // of the run itself: plan, head, kernels, journal
  std::vector<BundleFile> trial;      // of the trial's directory, named without it
  std::string kernel_config;          // all of it; empty: not at hand
  std::vector<std::string> left_out;  // files that cannot be given away, and why
};

// Reads them. Compressed files are unpacked, since nobody can look into them for secrets;
// what stays unreadable is left out and named. `redact` false lets those through.
Result<RawParts> read_raw_parts(const RunDirectory& run, const PlannedTrial& trial,
                                const HostRoot& host, bool redact);

// Data that is not text.
bool is_binary(std::string_view data);

// A trace.dat of version 7 may be compressed inside.
bool is_compressed_trace(std::string_view data);

}  // namespace rtsweep
