// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>

#include "runner/boot/qemu.h"
#include "runner/boot/target.h"

namespace rtsweep {

struct VmTimeouts {
  std::chrono::seconds boot;   // host time until the measuring code has spoken
  std::chrono::seconds trial;  // host time for everything
  // A kernel that has died on its console, but whose VM goes on, gets this long to
  // finish what it prints.
  std::chrono::seconds after_death{10};
};

// Runs a VM to its end, or ends it: boot timeout, trial timeout, a kernel that died
// (panic without reboot, RCU stall, lockup) as its console says, `stop`. What QEMU
// itself says is appended to `log`. Its files stay as they are; nothing is judged here.
Result<TrialEnd> watch_vm(const VmConfig& config, const VmTimeouts& timeouts,
                          const std::filesystem::path& log, const std::atomic<bool>& stop,
                          const Listener& listener);

}  // namespace rtsweep
