// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>

#include "runner/base/command.h"
#include "runner/base/result.h"
#include "runner/boot/qemu.h"

namespace rtsweep {

// Writes the device tree of an ARM VM with a CPU whose frequency the kernel manages: an
// operating point (operating-points-v2) on the fixed clock that the machine has, 24 MHz.
// The driver is cpufreq-dt. Governors, limits and their files are the kernel's own; the
// emulated CPU is as fast as ever, so this is for trying out tuning, not for numbers.
//
// kNotSupported for machines without a device tree.
Result<void> write_device_tree_with_cpufreq(const VmConfig& config, CommandRunner& commands,
                                            const std::filesystem::path& file);

// The same on a device tree's bytes, which QEMU has made: /cpus/cpu@0, /apb-pclk.
Result<std::string> with_cpufreq(std::string_view device_tree);

}  // namespace rtsweep
