// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <vector>

#include "analysis/path/call_path.h"

namespace rtsweep {

// A lock that the path waited for, while its holder had the CPU. Instructions since the
// path's begin.
struct LockWait {
  int64_t blocked = 0;   // at the lock, in the slow path
  std::string taker;     // the function that wanted it; "" if unknown
  int64_t holder = 0;    // the holder has the CPU
  int64_t released = 0;  // it lets go
  std::string releaser;  // the function that let go; "" if unknown
  int64_t again = 0;     // the waiter has the CPU again
  bool boosted = false;  // the holder was given the waiter's priority

  int64_t instructions() const { return again - blocked; }

  bool operator==(const LockWait&) const = default;
};

// The waits among a path's steps, in order. A slow path that found the lock free after all, and
// so had no switch before the next one, is none.
std::vector<LockWait> lock_waits(const std::vector<PathStep>& steps);

}  // namespace rtsweep
