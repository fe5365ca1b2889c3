// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/virtual/path_machine.h"

#include <fmt/format.h>

namespace rtsweep {
namespace {

constexpr uint64_t kUpperHalf = uint64_t{1} << 63;

Result<uint64_t> address(const KernelSymbols& symbols, std::string_view name) {
  if (const auto found = symbols.address_of(name)) return *found;
  return Error(Errc::kBadData, "the kernel has no symbol " + std::string(name));
}

// Where the CPU goes on when an interrupt comes.
Result<std::set<uint64_t>> irq_entries(std::string_view arch, const KernelSymbols& symbols) {
  // Arm Architecture Reference Manual for A-profile, D1.3.1.5: offsets of the IRQ vectors for
  // the current level, for 64-bit and for 32-bit programs.
  if (arch == "arm64") {
    RTSWEEP_TRY(const uint64_t vectors, address(symbols, "vectors"));
    return std::set<uint64_t>{vectors + 0x280, vectors + 0x480, vectors + 0x680};
  }
  // The same, AArch32: the high vectors, IRQ.
  if (arch == "armhf") return std::set<uint64_t>{0xffff0018};
  RTSWEEP_TRY(const uint64_t timer, address(symbols, "asm_sysvec_apic_timer_interrupt"));
  return std::set<uint64_t>{timer};
}

}  // namespace

std::string PathMachine::plugin_arguments() const {
  std::string text;
  for (const uint64_t entry : irq_entries) text += fmt::format(",mark={:#x}", entry);
  return text + fmt::format(",mark={:#x},wakeup={:#x}-{:#x},user={:#x}", finish_task_switch,
                            wakeup_first, wakeup_end, user_below);
}

Result<PathMachine> path_machine(std::string_view arch, const KernelSymbols& symbols) {
  PathMachine machine;
  if (arch == "arm64" || arch == "amd64") {
    machine.user_below = kUpperHalf;
  } else if (arch == "armhf" || arch == "i386") {
    // 3 GiB for user space; ARM has the modules below that, from 16 MiB less on.
    machine.user_below = arch == "armhf" ? 0xbf000000 : 0xc0000000;
    machine.stack_shift = 13;
  } else {
    return Error(Errc::kNotSupported,
                 "paths are followed on amd64, i386, arm64 and armhf, not on " + std::string(arch));
  }
  RTSWEEP_TRY(machine.irq_entries, irq_entries(arch, symbols));
  RTSWEEP_TRY(machine.wakeup_first, address(symbols, "hrtimer_wakeup"));
  machine.wakeup_end = symbols.end_of(machine.wakeup_first).value_or(machine.wakeup_first + 1);
  RTSWEEP_TRY(machine.finish_task_switch, address(symbols, "finish_task_switch"));
  return machine;
}

}  // namespace rtsweep
