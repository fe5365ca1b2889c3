// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <optional>

#include "runner/base/result.h"
#include "runner/bundle/temporary_directory.h"
#include "runner/run/run_directory.h"

namespace rtsweep {

// A run, and the directory that it was unpacked to if it came in a bundle.
struct OpenedRun {
  std::optional<TemporaryDirectory> unpacked;  // removed with this object
  RunDirectory run;
};

// A run directory, or a bundle (which may be somebody else's: see unpack_bundle()).
Result<OpenedRun> open_run(const std::filesystem::path& path);

// Whether the file is a bundle, by its first bytes.
bool is_bundle_file(const std::filesystem::path& path);

// Unpacks a bundle to a directory of its own.
Result<TemporaryDirectory> unpack_to_temporary(const std::filesystem::path& bundle);

}  // namespace rtsweep
