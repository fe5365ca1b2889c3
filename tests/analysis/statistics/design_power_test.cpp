// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/design_power.h"

#include <gmock/gmock.h>

#include <cmath>

#include "analysis/statistics/power.h"

namespace rtsweep::statistics {
namespace {

// sqrt(0.26^2 / m + 0.095^2), in the report "Statistics for a PREEMPT_RT latency suite", 2 (g),
// simulated as .15, .13, .095 for 5, 10 and 600 minutes.
TEST(DesignPower, AssumesTheScatterOfTheSimulations) {
  EXPECT_NEAR(assumed_log_sd(5), 0.15, 0.005);
  EXPECT_NEAR(assumed_log_sd(10), 0.13, 0.005);
  EXPECT_NEAR(assumed_log_sd(600), 0.095, 0.005);
}

// With ten cells and more the variance is all but known, so the normal approximation holds:
// n = 2 s^2 ((z(1 - 0.025/48) + z(0.9)) / ln 1.2)^2 = 2 * 0.01 * ((3.2785 + 1.2816) / 0.18232)^2
// = 12.5 for one of 48 cells.
TEST(DesignPower, NeedsMoreRepetitionsForOneOfManyCells) {
  const Design many = {.log_sd = 0.1, .cells = 48};

  const auto needed = repetitions_needed(many, 1.2);
  ASSERT_TRUE(needed);
  EXPECT_GE(*needed, 13u);
  EXPECT_LE(*needed, 14u);
  EXPECT_LT(*repetitions_needed({.log_sd = 0.1}, 1.2), *needed);
}

// The number found is the least that has the power, and the ratio that it finds is the one asked.
TEST(DesignPower, IsTheLeastNumber) {
  const Design design = {.log_sd = 0.1};
  const uint64_t needed = *repetitions_needed(design, 1.2);

  EXPECT_GE(paired_power(static_cast<double>(needed), 1.2, 0.02, 0, 0.025), 0.9);
  EXPECT_LT(paired_power(static_cast<double>(needed - 1), 1.2, 0.02, 0, 0.025), 0.9);
  EXPECT_LE(*smallest_ratio_found(design, needed), 1.2);
  EXPECT_GT(*smallest_ratio_found(design, needed - 1), 1.2);
}

TEST(DesignPower, OneRepetitionFindsNothing) {
  EXPECT_FALSE(smallest_ratio_found({.log_sd = 0.1}, 1));
}

// -ln(0.05) = 2.996: the rule of three.
TEST(DesignPower, SaysWhatMayNotBeSeen) {
  EXPECT_NEAR(rarest_seen_per_hour(1), 2.996, 0.001);
  EXPECT_NEAR(rarest_seen_per_hour(10), 0.2996, 0.0001);
}

}  // namespace
}  // namespace rtsweep::statistics
