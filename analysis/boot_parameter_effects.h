// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/machine_facts.h"

namespace rtsweep {

// A boot parameter whose effect can be read back. Being on /proc/cmdline proves nothing:
// a kernel without the code for it boots all the same and says nothing.
struct BootParameterEffect {
  std::string_view parameter;  // "isolcpus=", or a whole word: "nosmt"
  std::string_view read_back;  // where, for documentation
  std::string_view code;       // reason when it had no effect

  // What the machine has instead, or nothing when the effect is there or cannot be known.
  // `value` is what follows the parameter's name.
  std::optional<std::string> (*mismatch)(std::string_view value, const MachineFacts& facts);
};

std::span<const BootParameterEffect> boot_parameter_effects();

// The entry for "isolcpus=1-3", or null: its presence on the command line must do.
const BootParameterEffect* find_effect(std::string_view boot_parameter);

}  // namespace rtsweep
