// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "analysis/path/kernel_symbols.h"

namespace rtsweep {

// Where the code lies that the path plugin must know, for one kernel.
struct PathMachine {
  std::set<uint64_t> irq_entries;  // the first instruction of an interrupt
  uint64_t wakeup_first = 0;       // hrtimer_wakeup()
  uint64_t wakeup_end = 0;
  uint64_t finish_task_switch = 0;
  uint64_t user_below = 0;  // smaller addresses are user space's
  int stack_shift = 14;     // 2^n bytes: a thread's kernel stack

  // As the plugin reads it: ",mark=0x...,wakeup=...".
  std::string plugin_arguments() const;
};

// kBadData, naming it, when a symbol is missing; kNotSupported for an architecture that there is
// no virtual machine of.
Result<PathMachine> path_machine(std::string_view arch, const KernelSymbols& symbols);

}  // namespace rtsweep
