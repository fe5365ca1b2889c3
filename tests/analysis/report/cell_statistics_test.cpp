// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/cell_statistics.h"

#include <gmock/gmock.h>

#include "tests/analysis/report/sample_report.h"

namespace rtsweep {
namespace {

using testing::cpu_with;
using ::testing::HasSubstr;
using testing::trial_with;

CellTrials cell_of(const std::vector<TrialResult>& trials) {
  CellTrials cell;
  for (const TrialResult& trial : trials) cell.trials.push_back(&trial);
  return cell;
}

const CellQuantile& quantile(const CellStatistics& statistics, uint64_t ppm) {
  for (const CellQuantile& one : statistics.quantiles) {
    if (one.ppm == ppm) return one;
  }
  throw std::out_of_range("no such quantile");
}

// 100 samples, the median of 1 to 100: ranks 40 and 61 hold it with 96.5 % (tables of the sign
// test), so the latencies of those ranks are the limits.
TEST(CellStatistics, OfOneTrialAreOrderStatistics) {
  CpuResult cpu = cpu_with(0, {});
  for (int64_t us = 1; us <= 100; ++us) cpu.histogram.add(Latency(us));
  cpu.cycles = 100;
  cpu.max_us = 100;
  const std::vector<TrialResult> trials = {trial_with(1, {}, {cpu})};

  const auto statistics = statistics_of_cell(cell_of(trials));

  ASSERT_TRUE(statistics);
  EXPECT_FALSE(statistics->over_trials);
  EXPECT_EQ(quantile(*statistics, 500'000).value_us, 50);
  EXPECT_EQ(quantile(*statistics, 500'000).lower_us, 40);
  EXPECT_EQ(quantile(*statistics, 500'000).upper_us, 61);
  // 100 samples hold no upper limit of p99.9: that takes ln(0.025) / ln(0.999) = 3687.
  EXPECT_EQ(quantile(*statistics, 999'000).upper_us, std::nullopt);
  EXPECT_FALSE(statistics->max_scatter);
  // 1 - 0.05^(1/100) = 0.02951, 1 in 33.
  EXPECT_NEAR(statistics->proven_tail, 0.02951, 1e-5);
  EXPECT_THAT(statistics->sentence(), HasSubstr("for this boot only"));
  EXPECT_THAT(statistics->sentence(), HasSubstr("rarer than 1 in 33 samples"));
}

// Medians 19, 39 and 79 us, in the middle of their buckets 19.5, 39.5, 79.5: mean of the logs
// 3.67409, standard deviation 0.70271, t(0.975, 2) = 4.30265, half width 1.74565. The value is
// exp(3.67409) - 0.5 = 38.91, the limits exp(1.92844) - 0.5 = 6.38 and exp(5.41974) - 0.5 = 225.3.
TEST(CellStatistics, OfThreeTrialsHaveTheTrialAsUnit) {
  const std::vector<TrialResult> trials = {trial_with(1, {}, {cpu_with(0, {{19, 99}, {50, 1}})}),
                                           trial_with(2, {}, {cpu_with(0, {{39, 99}, {60, 1}})}),
                                           trial_with(3, {}, {cpu_with(0, {{79, 99}, {90, 1}})})};

  const auto statistics = statistics_of_cell(cell_of(trials));

  ASSERT_TRUE(statistics);
  EXPECT_TRUE(statistics->over_trials);
  EXPECT_NEAR(*quantile(*statistics, 500'000).value_us, 38.91, 0.02);
  EXPECT_NEAR(*quantile(*statistics, 500'000).lower_us, 6.38, 0.02);
  EXPECT_NEAR(*quantile(*statistics, 500'000).upper_us, 225.3, 0.3);
  EXPECT_EQ(statistics->least_max_us, 50);
  EXPECT_EQ(statistics->most_max_us, 90);
  EXPECT_EQ(statistics->median_max_us, 60);
  EXPECT_THAT(statistics->sentence(), HasSubstr("over 3 trials"));
  EXPECT_THAT(statistics->sentence(), HasSubstr("Maximum 50 to 90 us, median 60, scatter"));
}

TEST(CellStatistics, NeedATrialThatCounts) {
  std::vector<TrialResult> trials = {trial_with(1, {}, {cpu_with(0, {{19, 10}})})};
  trials[0].verdict = Verdict::kInvalid;

  EXPECT_FALSE(statistics_of_cell(cell_of(trials)));
}

}  // namespace
}  // namespace rtsweep
