// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/return_level.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace rtsweep::statistics {
namespace {

using ::testing::HasSubstr;

// One-minute maxima of a Gumbel(40, 6) machine, as bucket floors. Its level of once in 10 h is
// 40 - 6 ln(-ln(exp(-1/600))) = 40 + 6 ln 600 = 78.4.
constexpr double kOncePerTenHours = 78.4;

std::vector<double> minutes(size_t count, unsigned seed, double drift = 0) {
  std::mt19937 random(seed);
  std::vector<double> maxima;
  for (size_t i = 0; i < count; ++i) {
    const double uniform = (static_cast<double>(random()) + 0.5) / 4294967296.0;
    const double latency = 40 - 6 * std::log(-std::log(uniform));
    const double progress = static_cast<double>(i) / static_cast<double>(count);
    maxima.push_back(std::floor(latency * (1 + drift * progress)));
  }
  return maxima;
}

TailData ten_hours(unsigned seed, double drift = 0) {
  return {.runs = {minutes(600, seed, drift)}};
}

std::vector<std::string> codes(const TailAnswer& answer) {
  std::vector<std::string> result;
  for (const Refusal& refusal : answer.refusals) result.push_back(refusal.code);
  return result;
}

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ReturnLevel, IsInItsInterval) {
  const auto answer = return_level(ten_hours(1), 36'000);

  ASSERT_THAT(codes(answer), IsEmpty());
  ASSERT_TRUE(answer.level);
  EXPECT_TRUE(answer.level->interval.contains(answer.level->level));
  EXPECT_TRUE(answer.level->interval.contains(kOncePerTenHours));
  EXPECT_THAT(answer.level->sentence(), HasSubstr("About once in 10 h this kernel is expected to"));
}

// 40 machines of 10 h: a 95 % interval misses the truth in 2 of 40 on average, in more than 6
// with a chance below 0.5 % (binomial); refusals at 1 % each are fewer than 5 (stats.md 4.5).
TEST(ReturnLevel, CoversTheTruthAsOftenAsItSays) {
  int given = 0;
  int covered = 0;
  for (unsigned seed = 100; seed < 140; ++seed) {
    const auto answer = return_level(ten_hours(seed), 36'000);
    if (!answer.level) continue;
    ++given;
    covered += answer.level->interval.contains(kOncePerTenHours) ? 1 : 0;
  }

  EXPECT_GE(given, 35);
  EXPECT_GE(covered, given - 6);
}

TEST(ReturnLevel, IsRefusedWhenTheMaximaDrift) {
  const auto answer = return_level(ten_hours(1, 0.4), 36'000);

  EXPECT_FALSE(answer.level);
  EXPECT_THAT(codes(answer), Contains("drift"));
  EXPECT_THAT(answer.proven, HasSubstr("nothing reached"));
}

TEST(ReturnLevel, IsRefusedBeyondTenTimesTheMeasurement) {
  const auto answer = return_level(ten_hours(1), 365 * 86'400.0);

  EXPECT_FALSE(answer.level);
  EXPECT_THAT(codes(answer), ElementsAre("too_far"));
  EXPECT_THAT(answer.refusals.front().text, HasSubstr("once in 365 days is more than 10 times"));
}

TEST(ReturnLevel, IsRefusedWhenMaximaDependOnEachOther) {
  auto data = ten_hours(1);
  for (size_t i = 0; i + 1 < data.runs[0].size(); i += 2) data.runs[0][i + 1] = data.runs[0][i];

  EXPECT_THAT(codes(return_level(data, 36'000)), Contains("dependent_intervals"));
}

TEST(ReturnLevel, IsRefusedForTooFewMaxima) {
  const auto answer = return_level({.runs = {minutes(39, 1)}}, 3'600);

  EXPECT_THAT(codes(answer), ElementsAre("no_fit"));
}

// Half the minutes quiet, and half with a load twenty times worse: no single tail.
TEST(ReturnLevel, OfAMixtureRestsOnTheUpperPartOnly) {
  auto maxima = minutes(300, 1);
  for (const double maximum : minutes(300, 2)) maxima.push_back(maximum * 20);
  std::shuffle(maxima.begin(), maxima.end(), std::mt19937(3));

  const auto checked = fit_with_threshold(maxima, 1);

  EXPECT_TRUE(!checked || checked->maxima.censored_below > 100);
}

TEST(ReturnLevel, IsRefusedForWhatTheMeasurementLacks) {
  TailData data = ten_hours(1);
  data.omitted = 12;
  data.hardware_latency = true;
  data.several_boots_in_a_run = true;

  EXPECT_THAT(codes(return_level(data, 36'000)),
              ElementsAre("omitted_activations", "hardware_latency", "unknown_runs"));
}

TEST(ReturnLevel, OfTwoRunsIsLeftToEachAlone) {
  const TailData data{.runs = {minutes(120, 1), minutes(120, 2)}};

  EXPECT_THAT(codes(return_level(data, 3'600)), ElementsAre("few_runs"));
}

// Ten boots that differ by 12 % in all their latencies.
TEST(ReturnLevel, OfRunsThatDifferHasAWiderInterval) {
  TailData alike;
  TailData unlike;
  const double factors[] = {1, 1.15, 0.9, 1.05, 0.85, 1.2, 0.95, 1.1, 0.88, 1.02};
  for (unsigned run = 0; run < 10; ++run) {
    const auto maxima = minutes(60, 50 + run);
    alike.runs.push_back(maxima);
    unlike.runs.emplace_back();
    for (const double maximum : maxima) {
      unlike.runs.back().push_back(std::floor(maximum * factors[run]));
    }
  }

  const auto of_alike = return_level(alike, 3'600);
  const auto of_unlike = return_level(unlike, 3'600);

  ASSERT_TRUE(of_alike.level && of_unlike.level);
  EXPECT_GT(of_unlike.level->inflation, 2);
  EXPECT_GT(of_unlike.level->inflation, of_alike.level->inflation);
}

TEST(ReturnLevel, OfNothingIsRefused) {
  EXPECT_THAT(codes(return_level({}, 3'600)), ElementsAre("no_maxima"));
}

}  // namespace
}  // namespace rtsweep::statistics
