// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

// Something that a virtual CPU did, as the path plugin wrote it down.
struct PathEvent {
  enum class Kind : uint32_t {
    kMark = 1,  // code at a marked address begins; value: the address
    kWakeup,    // hrtimer_wakeup() of a sleeper; value: its address, on its thread's stack
    kUser,      // user space goes on; value: where
    kClock,     // it has read the clock, for the first time since then
    kBlock,     // a block of instructions begins; value: its address
    kEnd,       // the emulator ends
  };
  uint64_t icount = 0;  // instructions executed before it
  int64_t idle_ns = 0;  // virtual time that passed without instructions until then
  uint64_t value = 0;
  Kind kind = Kind::kEnd;
  uint32_t insns = 0;  // of a block

  bool operator==(const PathEvent&) const = default;
};

// Reads what the plugin wrote: "RTSPATH1", then entries of 32 bytes in the order of
// PathEvent, little endian. kBadData, saying what, when it is not that, or when the emulator
// died before its end.
Result<std::vector<PathEvent>> parse_path_record(std::string_view bytes);

}  // namespace rtsweep
