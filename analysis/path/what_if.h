// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/latency_histogram.h"

namespace rtsweep {

// The same cell measured twice, the second time with one kernel parameter more: how much of
// the tail it takes away.
struct WhatIf {
  std::string parameter;
  LatencyHistogram before;
  LatencyHistogram after;

  // Samples beyond the 99th percentile of what was before, those past the histogram included.
  uint64_t tail_before() const;
  uint64_t tail_after() const;
};

// Conclusion, both distributions as quantiles and as rows of counts.
std::string what_if_text(const WhatIf& what_if);
nlohmann::json what_if_json(const WhatIf& what_if);

}  // namespace rtsweep
