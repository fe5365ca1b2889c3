// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string_view>
#include <vector>

#include "analysis/trace/explanation.h"
#include "runner/base/result.h"

namespace rtsweep {

// Explanations as `explain --json` prints them, read again: the object with
// "explanations", or the array alone (explanations.json of a trial). The file may be
// somebody else's: kBadData when it is not one.
Result<std::vector<Explanation>> parse_explanations(std::string_view json);

}  // namespace rtsweep
