// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>

#include "analysis/run_report.h"

namespace rtsweep {

// The page's section with one sentence for each effect of a factor, and their forest plot. Empty
// when find_in() has nothing.
std::string html_findings(const RunReport& report);

}  // namespace rtsweep
