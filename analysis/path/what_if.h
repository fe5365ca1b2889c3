// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace rtsweep {

// The same cell measured twice, the second time with one kernel parameter more: how much of
// the tail it takes away.
struct WhatIf {
  std::string parameter;
  std::map<int64_t, uint64_t> before;  // latency in us -> samples
  std::map<int64_t, uint64_t> after;

  // Samples beyond the 99th percentile of what was before.
  uint64_t tail_before() const;
  uint64_t tail_after() const;
};

// The smallest latency that at least ppm of a million samples do not exceed; 0 without samples.
int64_t latency_quantile(const std::map<int64_t, uint64_t>& counts, uint64_t ppm);

// Conclusion, both distributions as quantiles and as rows of counts.
std::string what_if_text(const WhatIf& what_if);
nlohmann::json what_if_json(const WhatIf& what_if);

}  // namespace rtsweep
