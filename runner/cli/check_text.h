// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "analysis/rt_rules.h"

namespace rtsweep {

struct CheckTextOptions {
  size_t width = 80;     // characters in a line
  bool verbose = false;  // list what could not be judged
  bool colours = false;  // of a terminal
};

// For people: what was looked at, the findings by severity, a summary. `subject` is what was
// checked, a line each ("This machine", "Kernel log boot.txt").
std::string check_text(const CheckResult& result, const SystemView& view,
                       std::span<const std::string> subject, const CheckTextOptions& options);

// For programs: system, findings[] (code, severity, text, why, fix, source, where[]),
// unknown[] (code, needs[]), summary.
nlohmann::json check_json(const CheckResult& result, const SystemView& view);

}  // namespace rtsweep
