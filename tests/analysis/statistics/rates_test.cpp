// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/rates.h"

#include <cmath>

#include "tests/analysis/statistics/reference.h"

namespace rtsweep::statistics {
namespace {

using rtsweep::testing::Json;

TEST(ShareInterval, IsClopperAndPearsons) {
  RTSWEEP_REFERENCE(reference, "clopper_pearson");
  for (size_t i = 0; i < reference["inputs"]["rows"].size(); ++i) {
    const Json row = reference["inputs"]["rows"][i];
    const Json expected = reference["expected"]["ci"][i];

    const auto interval = share_interval(row[0], row[1], row[2]);

    EXPECT_RELATIVE(interval.lower, expected[0].get<double>(), 1e-8) << row;
    EXPECT_RELATIVE(interval.upper, expected[1].get<double>(), 1e-8) << row;
  }
}

// R's help page of binom.test: 682 of 925 (Conover 1971) give [0.7076683, 0.7654066].
TEST(ShareInterval, OfConoversPlants) {
  const auto interval = share_interval(682, 925, 0.95);

  EXPECT_NEAR(interval.lower, 0.7076683, 5e-8);
  EXPECT_NEAR(interval.upper, 0.7654066, 5e-8);
}

TEST(CountInterval, IsGarwoods) {
  RTSWEEP_REFERENCE(reference, "poisson_garwood");
  const auto counts = testing::numbers(reference["inputs"]["counts"]);
  for (size_t i = 0; i < counts.size(); ++i) {
    const auto interval = count_interval(counts[i], 0.95);

    EXPECT_NEAR(interval.lower, reference["expected"]["ci"][i][0].get<double>(), 1e-4);
    EXPECT_NEAR(interval.upper, reference["expected"]["ci"][i][1].get<double>(), 1e-4);
  }
}

TEST(CompareRates, IsRsPoissonTest) {
  RTSWEEP_REFERENCE(reference, "poisson_rate_ratio");
  const Json in = reference["inputs"];
  const Json expected = reference["expected"];

  const auto result = compare_rates(in["x1"], in["t1"], in["x2"], in["t2"], 0.95);

  EXPECT_NEAR(result.ratio, expected["ratio"].get<double>(), 1e-6);
  EXPECT_NEAR(result.p_value, expected["p_value"].get<double>(), 1e-5);
  EXPECT_NEAR(result.interval.lower, expected["ci"][0].get<double>(), 1e-4);
  EXPECT_NEAR(result.interval.upper, expected["ci"][1].get<double>(), 1e-4);
}

TEST(CompareRates, WithoutEventsInTheSecondHasNoUpperLimit) {
  const auto result = compare_rates(5, 10, 0, 10, 0.95);

  EXPECT_TRUE(std::isinf(result.ratio));
  EXPECT_TRUE(std::isinf(result.interval.upper));
  EXPECT_NEAR(result.p_value, 2.0 / 32, 1e-12);  // five heads or five tails of five
}

// Ten intervals, one with all ten events: mean 1, variance (9 * 1 + 81) / 9 = 10.
TEST(Dispersion, OfABurstIsItsSize) {
  const double counts[] = {10, 0, 0, 0, 0, 0, 0, 0, 0, 0};

  EXPECT_NEAR(dispersion(counts), 10, 1e-12);
}

TEST(Dispersion, IsNeverBelowOne) {
  const double even[] = {3, 3, 3, 3};
  const double none[] = {0, 0, 0};

  EXPECT_EQ(dispersion(even), 1);
  EXPECT_EQ(dispersion(none), 1);
}

// 20 of 1000 in bursts of two count as 10 of 500.
TEST(BurstyShareInterval, DividesBothCounts) {
  const auto bursty = bursty_share_interval(20, 1000, 2, 0.95);
  const auto single = share_interval(10, 500, 0.95);

  EXPECT_DOUBLE_EQ(bursty.lower, single.lower);
  EXPECT_DOUBLE_EQ(bursty.upper, single.upper);
}

// Runs 1, 2, 3: mean 2, s = 1, t_{0.975, 2} = 4.302653 (tables): 2 +- 4.302653 / sqrt(3).
TEST(MeanInterval, IsStudentsOverRuns) {
  const double runs[] = {1, 2, 3};

  const auto interval = mean_interval(runs, 0.95);

  EXPECT_NEAR(interval.lower, 2 - 2.484138, 1e-6);
  EXPECT_NEAR(interval.upper, 2 + 2.484138, 1e-6);
}

}  // namespace
}  // namespace rtsweep::statistics
