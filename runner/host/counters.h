// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string_view>

#include "analysis/counters.h"
#include "runner/base/command.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// Reads all counters. Asks vcgencmd where there is a Raspberry Pi's mailbox and the
// kernel does not tell of throttling itself.
Counters read_counters(const HostRoot& host, CommandRunner& commands);

// "throttled=0xe0000" of vcgencmd, or "e0000" of sysfs.
std::optional<uint64_t> parse_throttled(std::string_view text);

// Watches what the calling process itself uses, all threads, from its construction on.
class ObserverWatch {
 public:
  ObserverWatch();
  ObserverCost cost() const;

 private:
  ObserverCost begin_;
};

}  // namespace rtsweep
