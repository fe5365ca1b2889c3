// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// A gate as an acceptance plan: how long must be measured, and how many events above the limit
// may be seen, so that passing proves a rate. With the chance of failing a good system, said
// before the run. MIL-HDBK-781; the chi-squared demonstration test. Events are exceedances merged
// over all CPUs within 10 ms, so that an SMI counts once.
namespace rtsweep::statistics {

// The exposure, in units of 1 / limit rate, after which at most `allowed` events prove a rate
// below the limit with confidence 1 - alpha: gammaQinv(allowed + 1, alpha).
double exposure_needed(uint64_t allowed, double alpha);

// The chance that a system with this expected number of events passes.
double pass_probability(uint64_t allowed, double expected_events);

struct AcceptancePlan {
  uint64_t allowed = 0;  // events above the limit
  double hours = 0;      // to be measured, over five boots or more
  double limit_per_hour = 0;
  double alpha = 0.05;     // a system at the limit passes: the miss rate
  double false_alarm = 0;  // a system ten times better fails

  std::string sentence() const;
};

// The plan that fits in the time and alarms least. Nothing when even no event at all would prove
// nothing in it: then least_rate_provable() says what could be gated.
std::optional<AcceptancePlan> plan_for(double limit_per_hour, double hours_available,
                                       double alpha = 0.05, uint64_t most_allowed = 5);

// The smallest rate per hour that this time can prove, with no event seen: 18 in ten minutes.
double least_rate_provable(double hours_available, double alpha = 0.05);

// After the run: does it pass?
bool passes(const AcceptancePlan& plan, uint64_t events, double hours_measured);

}  // namespace rtsweep::statistics
