// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>

#include "runner/base/result.h"

namespace rtsweep {

inline constexpr char kResultsFile[] = "results.bin";  // the stream as it left the VM
inline constexpr char kConsoleFile[] = "console.log";
inline constexpr char kIdentityFile[] =
    "identity.json";  // what must be equal for two results to compare
inline constexpr char kScratchDirectory[] = "scratch";  // initrd, SD card: gone after the trial

// Writes the files that a VM streamed out into the trial's directory, the stream's
// whole frames only. May be called again; without a stream it does nothing.
Result<void> unpack_results(const std::filesystem::path& directory);

}  // namespace rtsweep
