// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "analysis/run_report.h"
#include "runner/base/result.h"

namespace rtsweep {

// What is done to a VM from outside while it measures.
enum class HostAction {
  kNone,
  kPause,  // stopped for 300 ms
  kKill,
};

// A fault that really happens, in a VM of its own.
struct RealFault {
  std::string_view name;
  std::string_view what;
  std::string_view code;
  std::string_view run = "";  // shell commands in the guest, beside the probe, 1 s after it began
  std::string_view arch = "arm64";
  std::string_view kernel = "6.1-rt";
  std::string_view cmdline = "";
  std::string_view measure = "";  // lines for the plan's [measure]
  std::string_view load = "";     // lines for [loads.command]
  std::string_view tuning = "";   // lines for [tuning]
  std::string_view vm = "";       // lines for [vm]; the control has them too
  int duration_s = 4;             // of the measurement; the control's too
  bool real_clock = false;
  HostAction action = HostAction::kNone;
};
std::span<const RealFault> real_faults();

// The same trial without the fault.
RealFault control_of(const RealFault& fault);

// Two faults with the same control need it only once.
bool same_control(const RealFault& a, const RealFault& b);

// Measures the fault in a run directory of its own and judges it as any run is judged.
// The guests are those of this build: ARCH/rtsweep-guest.
Result<TrialResult> judge_real(const RealFault& fault, const std::filesystem::path& directory,
                               const std::filesystem::path& guests);

}  // namespace rtsweep
