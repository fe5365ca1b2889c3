// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include "runner/boot/vm_watch.h"

namespace rtsweep {

// For virtual time that repeats in most runs only (see record_works): runs the VM until
// two runs gave the same console and the same results, at most three times. Their
// output becomes the trial's; every attempt is kept in attempt-N. kNotDeterministic
// when all three differ. An attempt that does not complete ends it at once.
Result<TrialEnd> run_until_two_agree(VmConfig config, const VmTimeouts& timeouts,
                                     const std::filesystem::path& directory,
                                     const std::atomic<bool>& stop, const Listener& listener);

// Makes the SD card's image, empty. A run writes to it, so each run needs a new one.
Result<void> make_sd_card(const std::filesystem::path& file);

}  // namespace rtsweep
