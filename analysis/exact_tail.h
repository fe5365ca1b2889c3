// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include "analysis/capture_result.h"
#include "analysis/cyclictest_output.h"

namespace rtsweep {

// The run with its overflows at their exact values, as far as the hits have all of them: the
// histogram then ends after the longest. Otherwise as it was. The run's unit must be
// microseconds, as the hits' is.
CyclictestRun with_exact_tail(CyclictestRun run, const CaptureResult& capture);

}  // namespace rtsweep
