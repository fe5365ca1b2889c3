// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

struct KernelSymbol {
  uint64_t address = 0;
  std::string name;  // "finish_task_switch.isra.0"; of a module: "mmc_request_done [mmc_core]"
};

// A kernel's functions by address, those of its modules included.
class KernelSymbols {
 public:
  // Reads /proc/kallsyms. Lines that are not symbols are passed over; kBadData when there is
  // none at all, or when the addresses were hidden (all 0).
  static Result<KernelSymbols> parse(std::string_view kallsyms);

  // The function that the address is in: the last one that begins at it or before.
  const KernelSymbol* find(uint64_t address) const;

  // Where a function begins. Suffixes of the compiler (".isra.0") do not count.
  std::optional<uint64_t> address_of(std::string_view name) const;

  // Where the next symbol behind the address begins.
  std::optional<uint64_t> end_of(uint64_t address) const;

 private:
  std::vector<KernelSymbol> symbols_;  // ascending, one an address
};

}  // namespace rtsweep
