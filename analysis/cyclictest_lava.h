// SPDX-License-Identifier: GPL-2.0-or-later

// Latencies as test cases of a LAVA job. Include cyclictest_output.h instead.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cyclictest_output.h"

namespace rtsweep::cyclictest {

// One test case: "t0-max-latency", 53 us. That LAVA says "passed" of it means nothing.
struct LavaLatency {
  enum class Which { kMin, kAvg, kMax };

  int thread = 0;
  Which which = Which::kMax;
  double latency_us = 0;
  size_t used = 1;  // lines

  bool already_in(const CyclictestThread& known) const;
  void put_into(CyclictestThread& known) const;
};

// The latency whose test case begins at lines[at]; empty when none does. As a job's mail
// writes it, as Linaro's test definitions print it, and as LAVA's signal:
//
//   Test Case t0-max-latency: Test passed        t0-max-latency pass 53 us
//   Measurement: 53.0000000000 us
//   <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=t0-max-latency RESULT=pass UNITS=us MEASUREMENT=53>
Result<std::optional<LavaLatency>> parse_lava(const std::vector<std::string>& lines, size_t at,
                                              std::string_view name);

}  // namespace rtsweep::cyclictest
