// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/simulation/latency_model.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "analysis/statistics/moments.h"

namespace rtsweep::simulation {
namespace {

// The mean of the uniform law is 1/2, of the standard normal 0 with standard deviation 1, of
// Poisson(3) 3, of the geometric law with success 1/4 3. Four standard errors of 100,000 draws.
TEST(Random, DrawsByItsLaws) {
  Random random(1);
  constexpr int kDraws = 100'000;
  double uniform = 0, normal = 0, square = 0, poisson = 0, geometric = 0;
  for (int i = 0; i < kDraws; ++i) {
    uniform += random.uniform();
    const double z = random.normal();
    normal += z;
    square += z * z;
    poisson += static_cast<double>(random.poisson(3));
    geometric += static_cast<double>(random.geometric(0.25));
  }

  EXPECT_NEAR(uniform / kDraws, 0.5, 4 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(normal / kDraws, 0, 4 / std::sqrt(kDraws));
  EXPECT_NEAR(square / kDraws, 1, 4 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(poisson / kDraws, 3, 4 * std::sqrt(3.0 / kDraws));
  EXPECT_NEAR(geometric / kDraws, 3, 4 * std::sqrt(12.0 / kDraws));
}

// The levels of the report "Statistics for a PREEMPT_RT latency suite", 4.5, computed there with
// another root finder: one tail 84.7, 113.1, 145.0; bounded 43.1, 46.4, 48.4; mixture 66.3, 95.5,
// 133.3 us once in 1, 10 and 100 h.
TEST(LatencyModel, HasThePublishedLevels) {
  const auto level = [](const LatencyModel& model, double hours) {
    return level_exceeded_once_in(model, 60 * hours);
  };

  EXPECT_NEAR(level(one_tail_model(), 1), 84.7, 0.05);
  EXPECT_NEAR(level(one_tail_model(), 10), 113.1, 0.05);
  EXPECT_NEAR(level(one_tail_model(), 100), 145.0, 0.05);
  EXPECT_NEAR(level(bounded_tail_model(), 1), 43.1, 0.05);
  EXPECT_NEAR(level(bounded_tail_model(), 10), 46.4, 0.05);
  EXPECT_NEAR(level(bounded_tail_model(), 100), 48.4, 0.05);
  EXPECT_NEAR(level(mixture_model(), 1), 66.3, 0.05);
  EXPECT_NEAR(level(mixture_model(), 10), 95.5, 0.05);
  EXPECT_NEAR(level(mixture_model(), 100), 133.3, 0.05);
}

// A level that is exceeded once in 10 minutes is in the maximum of a minute with 1 - exp(-1/10)
// = 9.516 %. Buckets: the level is the end of one, so a maximum at or above it exceeds it.
TEST(LatencyModel, DrawsMaximaThatPassALevelAsOftenAsItsRateSays) {
  const LatencyModel model = mixture_model();
  const double level = 35;
  constexpr size_t kMinutes = 200'000;
  Random random(2);
  const auto maxima = minute_maxima(model, {}, {}, kMinutes, random);

  const double share =
      static_cast<double>(std::ranges::count_if(maxima, [&](double m) { return m >= level; })) /
      kMinutes;
  const double expected = -std::expm1(-rate_above(model, level));
  EXPECT_NEAR(share, expected, 4 * std::sqrt(expected * (1 - expected) / kMinutes));
  // 30 exp(-23/4) + 1.0625^-20 + 1/30, and next to nothing of the body.
  EXPECT_NEAR(rate_above(model, level), 0.4263, 0.0005);
}

TEST(LatencyModel, ALongerTailIsLonger) {
  Random first(3), second(3);
  const auto before = minute_maxima(mixture_model(), {}, {}, 600, first);
  const auto after = minute_maxima(mixture_model(), {.tail = 1.5}, {}, 600, second);

  EXPECT_NEAR(statistics::mean(after) / statistics::mean(before), 1.5, 0.05);
}

}  // namespace
}  // namespace rtsweep::simulation
