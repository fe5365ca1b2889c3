// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>

#include "analysis/machine_facts.h"
#include "runner/base/command.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// What a board's firmware left in the device tree, and a Raspberry Pi's EEPROM
// configuration where vcgencmd can be asked. Nothing on a machine without device tree.
std::optional<BoardFacts> read_board_facts(const HostRoot& host, CommandRunner& commands);

}  // namespace rtsweep
