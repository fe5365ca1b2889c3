// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/redaction.h"
#include "analysis/trace/trace.h"
#include "runner/base/command.h"
#include "runner/base/result.h"
#include "runner/bundle/bundle_archive.h"
#include "runner/host/host_root.h"
#include "runner/run/run_directory.h"

namespace rtsweep {

// The folder that all of a bundle lies in, and the run directory in it, which report,
// explain and compare take like any other.
inline constexpr char kBundleFolder[] = "rtsweep-bundle";
inline constexpr char kBundleRun[] = "rtsweep-bundle/run";

struct BundleRequest {
  std::optional<int> trial;       // empty: the one with the worst outlier, else the worst maximum
  std::optional<size_t> outlier;  // from 0; empty: the trial's worst
  std::optional<uint64_t> limit;  // bytes of the archive
  bool redact = true;
  std::string file_name;  // as the mail names it; empty: by the trial
};

// What the making of a bundle needs of the world.
struct BundleWorld {
  CommandRunner& commands;  // rsvg-convert
  const HostRoot& host;
  // The traces in a trace.dat.
  std::function<Result<std::vector<Trace>>(const std::filesystem::path&)> read_traces;
};

struct Bundle {
  std::string archive;    // its bytes: the same run gives the same ones
  std::string file_name;  // "rtsweep-trial-003.tar.zst"
  std::string mail;
  std::vector<std::string> dropped;   // for the limit, and why it could be
  std::vector<std::string> left_out;  // cannot be given away, or not be made, and why
  std::map<SecretKind, Redactor::Count> removed;
};

// Makes the bundle of one trial. kInvalidPlan when the run has no such trial or outlier, or
// when what may not be dropped is larger than the limit.
Result<Bundle> make_bundle(const RunDirectory& run, const BundleRequest& request,
                           const BundleWorld& world);

}  // namespace rtsweep
