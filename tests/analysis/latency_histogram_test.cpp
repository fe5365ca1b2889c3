// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/latency_histogram.h"

#include <gtest/gtest.h>

namespace rtsweep {
namespace {

using namespace std::chrono_literals;

TEST(LatencyHistogram, QuantileIsTheNearestRank) {
  LatencyHistogram histogram(400us);
  histogram.add(3us, 990);
  histogram.add(40us, 9);
  histogram.add(180us, 1);

  EXPECT_EQ(histogram.quantile(500'000), 3us);
  EXPECT_EQ(histogram.quantile(999'000), 40us);
  EXPECT_EQ(histogram.quantile(1'000'000), 180us);
}

TEST(LatencyHistogram, QuantileAmongOverflowsIsUnknown) {
  LatencyHistogram histogram(100us);
  histogram.add(5us, 99);
  histogram.add(250us, 1);

  EXPECT_EQ(histogram.overflows(), 1u);
  EXPECT_EQ(histogram.quantile(990'000), 5us);
  EXPECT_EQ(histogram.quantile(1'000'000), std::nullopt);
}

TEST(LatencyHistogram, MergeKeepsTheNarrowerLimit) {
  LatencyHistogram wide(1000us);
  wide.add(500us);
  LatencyHistogram narrow(100us);
  narrow.add(10us);

  wide.merge(narrow);

  EXPECT_EQ(wide.samples(), 2u);
  EXPECT_EQ(wide.overflows(), 1u);
}

TEST(LatencyHistogram, WithoutSamplesHasNoQuantile) {
  EXPECT_EQ(LatencyHistogram(100us).quantile(500'000), std::nullopt);
}

}  // namespace
}  // namespace rtsweep
