// SPDX-License-Identifier: GPL-2.0-or-later

// idle: nothing beside the probe. What the machine does by itself, and what every
// other load is compared with; on many boards the worst latencies are here, since an
// idle CPU sleeps deeply and has to wake up first.

#include "loads/load.h"

namespace rtsweep {
namespace {

Result<std::vector<std::string>> arguments(const LoadContext& /*context*/) {
  return std::vector<std::string>();
}

const BuiltinLoad kIdle({.name = "idle",
                         .exercises = "nothing: idle states and the way out of them",
                         .arguments = arguments});

}  // namespace
}  // namespace rtsweep
