// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <sys/types.h>

#include <filesystem>
#include <stop_token>
#include <vector>

#include "runner/selftest/injection.h"

namespace rtsweep {

// The emulator whose files are in the directory; 0: there is none.
pid_t find_emulator(const std::filesystem::path& directory);

// Stops the emulator, and with it all CPUs of its guest, `count` times for 30 to 60 ms, while
// the guest's clock goes on: what firmware or a hypervisor does. When, by CLOCK_MONOTONIC of
// this machine.
std::vector<MadeDelay> pause_guest(const std::filesystem::path& directory, int count,
                                   const std::stop_token& stop);

}  // namespace rtsweep
