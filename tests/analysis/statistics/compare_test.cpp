// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/compare.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "analysis/statistics/distributions.h"

namespace rtsweep::statistics {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Run maxima in us of the old kernel in five sessions.
const std::vector<double> kOld = {61, 55, 70, 58, 66};

// Each run with that maximum, and typical intervals of half of it.
RunStatistics run_with(double maximum) {
  return {.typical_worst = std::log(maximum / 2),
          .run_maximum = std::log(maximum),
          .typical_worst_floor = 1e-6,
          .run_maximum_floor = 1e-5};
}

// New runs `factor` times as long, give or take the ratios of `scatter`.
CellRuns pairs(double factor, const std::vector<double>& scatter) {
  CellRuns result;
  for (size_t i = 0; i < scatter.size(); ++i) {
    const double old_maximum = kOld[i % kOld.size()];
    result.old_runs.push_back(run_with(old_maximum));
    result.new_runs.push_back(run_with(old_maximum * factor * scatter[i]));
  }
  return result;
}

const std::vector<double> kQuiet = {1.02, 0.97, 1.01, 0.99, 1.01};
const std::vector<double> kNoisy = {1.3, 0.75, 1.15, 0.85, 1.1};

CellComparison compared(const CellRuns& cell, const CompareRules& rules = {}) {
  return compare_cells(std::span(&cell, 1), rules).front();
}

// ln 1.5 = 0.405 with differences that scatter by 2 %: far beyond both.
TEST(CompareCells, CallsALongerTailARegression) {
  const auto cell = compared(pairs(1.5, kQuiet));

  EXPECT_EQ(cell.answer, Answer::kRegression);
  EXPECT_NEAR(cell.typical_worst.ratio.ratio(), 1.5, 0.01);
  EXPECT_LT(cell.p_worse, 0.001);
}

// Ten per cent, with limits well below 20 %.
TEST(CompareCells, SaysWhenWorseByLessThanTheMargin) {
  const auto cell = compared(pairs(1.1, kQuiet));

  EXPECT_EQ(cell.answer, Answer::kWorseWithinMargin);
  EXPECT_LT(cell.typical_worst.interval.upper, 1.2);
}

TEST(CompareCells, FindsNoRegressionWhereNothingChanged) {
  const auto cell = compared(pairs(1, kQuiet));

  EXPECT_EQ(cell.answer, Answer::kNoRegression);
  EXPECT_FALSE(cell.improved);
}

TEST(CompareCells, SeesAnImprovement) {
  const auto cell = compared(pairs(0.8, kQuiet));

  EXPECT_EQ(cell.answer, Answer::kNoRegression);
  EXPECT_TRUE(cell.improved);
}

TEST(CompareCells, StaysUnclearWhenRunsScatter) {
  const auto cell = compared(pairs(1.05, kNoisy));

  EXPECT_EQ(cell.answer, Answer::kUnclear);
  ASSERT_TRUE(cell.pairs_missing);
  EXPECT_GT(*cell.pairs_missing, 0u);
}

TEST(CompareCells, NeedsTwoPairs) {
  EXPECT_EQ(compared({}).answer, Answer::kUnclear);
  EXPECT_EQ(compared(pairs(2, {1.0})).answer, Answer::kUnclear);
}

// Two equal pairs: the difference has no variance of its own, and rounding gives it one.
TEST(CompareCells, DoesNotBelieveInNoScatterAtAll) {
  CellRuns cell{.old_runs = {2, run_with(60)}, .new_runs = {2, run_with(61)}};
  for (auto* runs : {&cell.old_runs, &cell.new_runs}) {
    // A maximum of 60 us in buckets of 1 us: 1 / (12 60^2).
    for (RunStatistics& run : *runs) {
      run.run_maximum_floor = run.typical_worst_floor = 1 / (12.0 * 3600);
    }
  }

  const auto result = compared(cell);

  EXPECT_NE(result.answer, Answer::kRegression);
  EXPECT_TRUE(std::isfinite(result.run_maximum.ratio.t()));
  EXPECT_NEAR(result.run_maximum.ratio.variance.variance, 2 / (12.0 * 3600), 1e-12);
}

// Nine cells, too few to share a variance: Holm multiplies the smallest p by nine.
TEST(CompareCells, KeepsTheErrorRateOverTheMatrix) {
  const std::vector<double> scatter = {1.08, 0.95, 1.01, 0.97, 1.1};
  std::vector<CellRuns> cells(9, pairs(0.97, scatter));
  cells[7] = pairs(1.09, scatter);

  const auto alone = compared(cells[7]);
  const auto among_nine = compare_cells(cells)[7];

  EXPECT_LE(alone.p_worse, 0.05);
  EXPECT_EQ(alone.answer, Answer::kWorseWithinMargin);
  EXPECT_NEAR(among_nine.p_worse_in_family, 9 * alone.p_worse, 1e-12);
  EXPECT_EQ(among_nine.answer, Answer::kNoRegression);
}

// Three pairs with a lucky small variance; the ten cells around it know better.
TEST(CompareCells, BorrowsVarianceOverTheMatrix) {
  std::vector<CellRuns> cells(11, pairs(1, {1.2, 0.85, 1.05}));
  cells[0] = pairs(1.06, {1.001, 0.999, 1.0});

  const auto alone = compared(cells[0]);
  const auto in_matrix = compare_cells(cells)[0];

  EXPECT_EQ(alone.answer, Answer::kWorseWithinMargin);
  EXPECT_GT(in_matrix.typical_worst.ratio.variance.degrees, 2);
  EXPECT_GT(in_matrix.p_worse, 0.05);
}

// One wild pair of eight: t is blinded by its variance, the signs are not (eight of eight: 1/256).
TEST(CompareCells, FallsBackToSignsWhenDifferencesAreNotNormal) {
  const auto cell = compared(pairs(1.05, {1.01, 1, 0.99, 1.02, 1.01, 0.98, 1, 40}));

  ASSERT_TRUE(cell.run_maximum.sign_flip_p);
  EXPECT_DOUBLE_EQ(*cell.run_maximum.sign_flip_p, 1.0 / 256);
  EXPECT_GT(cell.run_maximum.ratio.p_worse(), 0.05);
  EXPECT_DOUBLE_EQ(cell.run_maximum.p_worse, 1.0 / 256);
}

// 4,000 unchanged cells in matrices of twenty, five pairs each, with boots that scatter by 10 %
// (T1) and 25 % (T2, partly the same scatter): 5 % nominal, with a standard error of 0.34 %.
// stats.md 4.2 found 4.1 to 5.0 %.
TEST(CompareCells, AlarmsFalselyAsOftenAsItSays) {
  std::mt19937 random(7);
  const auto normal = [&] {
    return normal_quantile((static_cast<double>(random()) + 0.5) / 4294967296.0);
  };
  const auto run = [&] {
    const double boot = normal();
    return RunStatistics{.typical_worst = 4 + 0.1 * boot,
                         .run_maximum = 4.5 + 0.15 * boot + 0.2 * normal(),
                         .typical_worst_floor = 1e-6,
                         .run_maximum_floor = 1e-5};
  };
  int alarms = 0;
  for (int matrix = 0; matrix < 200; ++matrix) {
    std::vector<CellRuns> cells(20);
    for (CellRuns& cell : cells) {
      for (int pair = 0; pair < 5; ++pair) {
        cell.old_runs.push_back(run());
        cell.new_runs.push_back(run());
      }
    }
    for (const CellComparison& cell : compare_cells(cells)) alarms += cell.p_worse <= 0.05 ? 1 : 0;
  }

  EXPECT_GE(alarms, 150);  // 3.75 %
  EXPECT_LE(alarms, 240);  // 6 %
}

TEST(CompareCells, DescribesEachAnswerInASentence) {
  const CompareRules rules;
  const auto say = [&](double factor, const std::vector<double>& scatter) {
    return describe(compared(pairs(factor, scatter)), rules, 1);
  };

  EXPECT_THAT(say(1.5, kQuiet),
              StartsWith("Regression: the typical worst interval is 50 % longer"));
  EXPECT_THAT(say(1.5, kQuiet), HasSubstr("in 5 interleaved pairs; chance of such a finding "
                                          "without a change: under"));
  EXPECT_THAT(say(1.1, kQuiet), StartsWith("Worse, but by less than 20 %"));
  EXPECT_THAT(say(1, kQuiet), StartsWith("No regression above 20 %"));
  EXPECT_THAT(say(0.8, kQuiet), StartsWith("Better; no regression above 20 %"));
  EXPECT_THAT(say(1.05, kNoisy), HasSubstr("more pairs would settle changes of 20 %"));
  EXPECT_THAT(describe(compared({}), rules, 1), StartsWith("Unclear: 0 pair(s) of runs"));
}

// Fifty per cent longer, but this week's runs against last week's.
TEST(CompareCells, WantsMoreRunsWhenTheyAreNotInterleaved) {
  CellRuns apart = pairs(1.5, kQuiet);
  apart.interleaved = false;
  CellRuns fewer = apart;
  fewer.old_runs.pop_back();

  EXPECT_EQ(compared(fewer).answer, Answer::kUnclear);
  EXPECT_THAT(describe(compared(fewer), {}, 1), HasSubstr("measure both in turns"));
  EXPECT_EQ(compared(apart).answer, Answer::kRegression);
  EXPECT_THAT(describe(compared(apart), {}, 1), HasSubstr("Confirm it with interleaved runs"));
  // Unpaired, the old runs' own scatter of 10 % is in the way.
  EXPECT_GT(compared(apart).p_worse, compared(pairs(1.5, kQuiet)).p_worse);
}

// 4 samples: 1, 2, 3, 9 of width 0 dealt to intervals of 2 with replacement: the maximum is <= v
// with F^2: 1/16, 4/16, 9/16, 1. Mean of logs: (3 ln 2 + 5 ln 3 + 7 ln 9) / 16.
TEST(RunStatistics, ComeFromAHistogramWithoutIntervals) {
  const Buckets buckets = {{1, 1}, {2, 1}, {3, 1}};

  const auto run = run_statistics(buckets, 0, 1, 9, 2);

  EXPECT_NEAR(run.typical_worst, (3 * std::log(2) + 5 * std::log(3) + 7 * std::log(9)) / 16, 1e-12);
  EXPECT_NEAR(run.run_maximum, std::log(9), 1e-12);
}

// Maxima 10 and 20 in buckets of 1: (ln 10.5 + ln 20.5) / 2, ln 20.5, 1 / (12 20.5^2).
TEST(RunStatistics, AreLogsOfBucketMiddles) {
  const double maxima[] = {10, 20};

  const auto run = run_statistics(maxima, 1);

  EXPECT_NEAR(run.typical_worst, (2.351375 + 3.020425) / 2, 1e-6);
  EXPECT_NEAR(run.run_maximum, 3.020425, 1e-6);
  EXPECT_NEAR(run.run_maximum_floor, 1 / 5043.0, 1e-12);
  EXPECT_NEAR(run.typical_worst_floor, 1 / 10086.0, 1e-12);
}

}  // namespace
}  // namespace rtsweep::statistics
