// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rtsweep {

// What an interrupt came into, by the stack of an event in its handler or of the switch at
// its end. An interrupt that was held up comes in at the very place where interrupts are let
// in again, so that this names who had them off.
struct Interrupted {
  bool user_space = false;             // where interrupts cannot be off
  bool preempted = false;              // no interrupt: preemption was let in again there
  std::vector<std::string> functions;  // innermost first; empty in user space

  // "unlock_it <- long_section <- ioctl", at most three; empty in user space.
  std::string place() const;
  bool passes(std::string_view part) const;  // one of the functions has it in its name
};

// Looks for the kernel's interrupt entry (x86: asm_sysvec_*, asm_common_interrupt ...; arm64:
// el1h_64_irq, el0t_64_irq ...; arm: __irq_svc, __irq_usr) or preempt_schedule(). Empty when
// neither is there.
std::optional<Interrupted> interrupted(const std::vector<std::string>& stack);

}  // namespace rtsweep
