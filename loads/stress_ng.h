// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loads/load.h"

namespace rtsweep {

// What the loads that run stress-ng have in common.

// stress-ng running until it is stopped, the same way each time: `stressor` is its
// name with the number of workers, and its own options. Temporary files go to the
// load's scratch directory, and the seed is fixed.
std::vector<std::string> stress_ng(const LoadContext& context,
                                   const std::vector<std::string>& stressor);

// What it did, from the --metrics table that stress-ng 0.15 prints when it is asked
// to end by SIGTERM: "13,437 bogo ops, 921 a second", with "; read 4142 MB/s, write
// 2761 MB/s per worker" for stream. Empty when it was killed before.
//
// It cannot be asked while it runs: bogo operations are counted in memory that only
// its own processes share. Hence no work counter, only a note.
std::optional<std::string> stress_ng_note(std::string_view log);

}  // namespace rtsweep
