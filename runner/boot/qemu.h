// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

// The machine that QEMU plays for one architecture. One model each, so that results
// of the same architecture compare; see docs/virtual-time.md.
struct VmModel {
  std::string_view arch;     // Debian's name
  std::string_view program;  // qemu-system-...
  std::string_view package;  // that has it, in Debian
  std::string_view machine;
  std::string_view cpu;
  std::string_view console;  // the guest's console device
  std::string_view cmdline;  // that this model needs besides
};

// kNotSupported, naming the architectures that there are.
Result<VmModel> vm_model(std::string_view arch);

enum class VmClock {
  kReal,     // the guest's clock follows the host's
  kVirtual,  // the guest's clock counts executed instructions: exactly repeatable
};

// 2^3 ns an instruction: 125 instructions a microsecond. Never changed: latencies in
// virtual time compare only at the same scale.
inline constexpr int kIcountShift = 3;
inline constexpr double kNsPerInstruction = 1 << kIcountShift;

struct VmConfig {
  VmModel model;
  std::filesystem::path kernel;
  std::filesystem::path initrd;
  std::string cmdline;  // of the cell, appended to the model's own
  int memory_mib = 768;
  int cpus = 1;
  VmClock clock = VmClock::kVirtual;
  // Closes a race of QEMU's idle warp that moves single samples in about one run of
  // 16; QEMU 7.2 and 10.0 fail on it with 32-bit ARM kernels after 6.1.
  bool record = true;
  std::string accelerator = "tcg";    // real clock only: "kvm" once it is proved
  uint64_t seed = 1;                  // of the guest's random numbers
  std::filesystem::path device_tree;  // instead of the machine's own; empty: that one
  std::filesystem::path sd_card;      // raw image behind sdhci; empty: none
  std::string plugin;                 // QEMU's argument of -plugin; empty: none
  std::filesystem::path console;      // console log, written as it appears
  std::filesystem::path results;      // stream of frames, written as it appears
};

// The kernel's command line: the model's, ours, the cell's.
std::string vm_cmdline(const VmConfig& config);

std::vector<std::string> qemu_arguments(const VmConfig& config);

// Whether rr=record works for this kernel (see VmConfig::record). Where it does not,
// a result counts only when two runs agree.
bool record_works(std::string_view arch, std::string_view kernel_release);

}  // namespace rtsweep
