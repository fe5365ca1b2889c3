// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/observation.h"
#include "runner/base/result.h"

namespace rtsweep {

// What people paste into reports about a machine: vcgencmd, numactl -H, numastat, lscpu,
// /proc/interrupts, rpi-eeprom-config, sbc-bench.
struct MachineReport {
  std::vector<std::string> kinds;  // what was recognised: "lscpu", "numactl", ...
  Observations observed;           // by the names of kernel-configs/rt-rules.toml
};

// Reads every part of the text that it recognises; quote marks of a mail and wrapped rows do no
// harm. Parts that would be misread (two outputs side by side) are refused and observed as
// "report_refused". kBadData when nothing is recognised.
Result<MachineReport> read_machine_report(std::string_view text, const std::string& source);

// The bits of `vcgencmd get_throttled`, by name: 0 under_voltage, 1 frequency_capped, 2 throttled,
// 3 soft_temp_limit; 16 to 19 the same since the board was started (vcgencmd(1)).
Observations throttled_observations(unsigned long bits, const std::string& said,
                                    const std::string& source, size_t line);

}  // namespace rtsweep
