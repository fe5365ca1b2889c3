// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/acceptance_plan.h"

#include <fmt/format.h>

#include "analysis/statistics/distributions.h"

namespace rtsweep::statistics {
namespace {

// What a "good" system is, when a false alarm rate is stated.
constexpr double kGoodIsBetterBy = 10;

AcceptancePlan plan_with(uint64_t allowed, double limit_per_hour, double alpha) {
  const double exposure = exposure_needed(allowed, alpha);
  return {.allowed = allowed,
          .hours = exposure / limit_per_hour,
          .limit_per_hour = limit_per_hour,
          .alpha = alpha,
          .false_alarm = 1 - pass_probability(allowed, exposure / kGoodIsBetterBy)};
}

}  // namespace

double exposure_needed(uint64_t allowed, double alpha) {
  return gamma_upper_quantile(static_cast<double>(allowed) + 1, alpha);
}

double pass_probability(uint64_t allowed, double expected_events) {
  return poisson_cdf(allowed, expected_events);
}

std::string AcceptancePlan::sentence() const {
  return fmt::format(
      "At most {} event{} in {:.3g} h proves below {:.3g} per hour with {:.0f} % confidence; a "
      "system ten times better fails this {:.1f} % of the time.",
      allowed, allowed == 1 ? "" : "s", hours, limit_per_hour, (1 - alpha) * 100,
      false_alarm * 100);
}

std::optional<AcceptancePlan> plan_for(double limit_per_hour, double hours_available, double alpha,
                                       uint64_t most_allowed) {
  std::optional<AcceptancePlan> best;
  for (uint64_t allowed = 0; allowed <= most_allowed; ++allowed) {
    const AcceptancePlan plan = plan_with(allowed, limit_per_hour, alpha);
    if (plan.hours > hours_available) break;
    best = plan;
  }
  return best;
}

double least_rate_provable(double hours_available, double alpha) {
  return exposure_needed(0, alpha) / hours_available;
}

bool passes(const AcceptancePlan& plan, uint64_t events, double hours_measured) {
  return events <= plan.allowed && hours_measured >= plan.hours;
}

}  // namespace rtsweep::statistics
