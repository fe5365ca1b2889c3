// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rtsweep {

// The softirqs in the order of their bits, include/linux/interrupt.h: HI is 0, RCU 9.
std::string softirq_name(int64_t vector);

// The softirqs of a mask as the kernel log prints it, "handler #08" (hexadecimal): "NET_RX".
std::vector<int> softirqs_of_mask(uint64_t mask);

// The mask in a line such as "NOHZ tick-stop error: ... handler #180!!!"; empty without one.
std::optional<uint64_t> pending_mask(std::string_view line);

// What a softirq is there for, in words: "network receive".
std::string_view softirq_work(std::string_view name);

}  // namespace rtsweep
