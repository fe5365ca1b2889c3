// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/run_report.h"

#include <gtest/gtest.h>

namespace rtsweep {
namespace {

using namespace std::chrono_literals;

CpuResult cpu_with(Latency latency, uint64_t cycles, double avg_us) {
  CpuResult cpu{.cycles = cycles,
                .min_us = latency.count(),
                .avg_us = avg_us,
                .max_us = latency.count(),
                .histogram = LatencyHistogram(100us)};
  cpu.histogram.add(latency, cycles);
  return cpu;
}

CpuResult cpu_that_never_ran() { return CpuResult{}; }

TEST(TrialResult, TakesTheExtremesOfAllCpus) {
  const TrialResult trial{
      .cpus = {cpu_with(30us, 1, 30), cpu_with(5us, 1, 5), cpu_with(20us, 1, 20)}};

  EXPECT_EQ(trial.min_us(), 5);
  EXPECT_EQ(trial.max_us(), 30);
}

TEST(TrialResult, WeighsTheAverageByCycles) {
  // (300 * 10 + 100 * 30) / 400
  const TrialResult trial{.cpus = {cpu_with(10us, 300, 10.0), cpu_with(30us, 100, 30.0)}};

  EXPECT_EQ(trial.samples(), 400u);
  EXPECT_DOUBLE_EQ(trial.avg_us().value(), 15.0);
}

TEST(TrialResult, MergesTheHistogramsOfAllCpus) {
  const TrialResult trial{.cpus = {cpu_with(10us, 3, 10), cpu_with(30us, 1, 30)}};

  const LatencyHistogram merged = trial.merged();

  EXPECT_EQ(merged.samples(), 4u);
  EXPECT_EQ(merged.quantile(750'000), 10us);
  EXPECT_EQ(merged.quantile(1'000'000), 30us);
}

TEST(TrialResult, IsNotNarrowedByACpuThatNeverRan) {
  const TrialResult trial{.cpus = {cpu_that_never_ran(), cpu_with(10us, 3, 10)}};

  EXPECT_EQ(trial.merged().overflows(), 0u);
  EXPECT_EQ(trial.min_us(), 10);
}

TEST(TrialResult, KnowsNothingWhenNothingWasMeasured) {
  const TrialResult trial{.cpus = {cpu_that_never_ran()}};

  EXPECT_EQ(trial.samples(), 0u);
  EXPECT_EQ(trial.min_us(), std::nullopt);
  EXPECT_EQ(trial.avg_us(), std::nullopt);
  EXPECT_EQ(trial.max_us(), std::nullopt);
  EXPECT_EQ(trial.merged().samples(), 0u);
}

TEST(QuantileName, IsThePercentileWithoutTrailingZeros) {
  EXPECT_EQ(quantile_name(500'000), "p50");
  EXPECT_EQ(quantile_name(999'900), "p99.99");
  EXPECT_EQ(quantile_name(999'999), "p99.9999");
  EXPECT_EQ(quantile_name(1'000'000), "p100");
  EXPECT_EQ(quantile_name(5'000), "p0.5");
}

}  // namespace
}  // namespace rtsweep
