// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>

#include "analysis/run_comparison.h"

namespace rtsweep {

// `rtsweep compare` as text of 72 columns: the answer, the two sides, a table, a sentence for
// each cell, and what was assumed.
std::string render_comparison_text(const RunComparison& comparison);

// The same as one JSON object: docs/comparing-runs.md lists its fields.
std::string render_comparison_json(const RunComparison& comparison);

}  // namespace rtsweep
