// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/lock_waits.h"

#include <algorithm>

namespace rtsweep {
namespace {

using Kind = PathStep::Kind;
using Step = std::vector<PathStep>::const_iterator;

Step next_of(Step from, Step end, Kind kind) {
  return std::find_if(from, end, [kind](const PathStep& step) { return step.kind == kind; });
}

}  // namespace

std::vector<LockWait> lock_waits(const std::vector<PathStep>& steps) {
  std::vector<LockWait> waits;
  const Step end = steps.end();
  for (Step blocks = next_of(steps.begin(), end, Kind::kBlocks); blocks != end;
       blocks = next_of(std::next(blocks), end, Kind::kBlocks)) {
    const Step holder = next_of(blocks, end, Kind::kSwitch);
    const Step other = next_of(std::next(blocks), end, Kind::kBlocks);
    if (holder == end || other < holder) continue;
    const Step unlock = next_of(holder, end, Kind::kUnlock);
    const Step again = unlock == end ? end : next_of(unlock, end, Kind::kSwitch);
    if (again == end) continue;
    waits.push_back({.blocked = blocks->at,
                     .taker = blocks->within,
                     .holder = holder->at,
                     .released = unlock->at,
                     .releaser = unlock->within,
                     .again = again->at,
                     .boosted = next_of(blocks, holder, Kind::kBoost) != holder});
  }
  return waits;
}

}  // namespace rtsweep
