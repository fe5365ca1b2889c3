// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <span>

#include "analysis/cyclictest_output.h"

namespace rtsweep {

// Runs of the same threads, one after the other, as one: samples, overflows and histograms added
// up, extremes of all. At least one; the first says everything else.
CyclictestRun merge_cyclictest(std::span<const CyclictestRun> parts);

}  // namespace rtsweep
