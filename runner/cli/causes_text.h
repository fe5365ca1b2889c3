// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runner/selftest/causes.h"

namespace rtsweep {

// One line for a VM, and a line for each outlier that was not named right.
std::string injection_result_text(const InjectionResult& result);

// The confusion matrix, injected kinds down and named kinds across, as a Markdown table, and
// what it comes to.
std::string causes_text(const std::vector<InjectionResult>& results, const CausesSummary& summary);

// injected[] (kind, named, right, ...), vms[], matrix, rate with its interval, good.
nlohmann::json causes_json(const std::vector<InjectionResult>& results,
                           const CausesSummary& summary);

}  // namespace rtsweep
