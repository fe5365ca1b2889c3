// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/latency_histogram.h"

#include <gmock/gmock.h>

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Pair;

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

TEST(LatencyHistogram, ShowsItsNonEmptyBucketsInOrder) {
  LatencyHistogram histogram(400us);
  histogram.add(40us, 9);
  histogram.add(3us, 990);
  histogram.add(7us, 0);
  histogram.add(500us, 2);

  EXPECT_THAT(histogram.counts(), ElementsAre(Pair(3us, 990u), Pair(40us, 9u)));
  EXPECT_EQ(histogram.counted(), 999u);
  EXPECT_EQ(histogram.samples(), 1001u);
  EXPECT_EQ(histogram.lowest(), 3us);
  EXPECT_EQ(histogram.highest(), 40us);
}

TEST(LatencyHistogram, WithoutSamplesHasNoExtremes) {
  EXPECT_EQ(LatencyHistogram(100us).lowest(), std::nullopt);
  EXPECT_EQ(LatencyHistogram(100us).highest(), std::nullopt);
}

TEST(LatencyHistogram, CountsANegativeLatencyAsOverflow) {
  LatencyHistogram histogram(100us);
  histogram.add(-172us);

  EXPECT_EQ(histogram.overflows(), 1u);
  EXPECT_EQ(histogram.samples(), 1u);
}

TEST(LatencyHistogram, MergeTurnsItsOwnBucketsPastTheNewLimitIntoOverflows) {
  LatencyHistogram wide(1000us);
  wide.add(50us, 4);
  wide.add(100us, 3);
  wide.add(999us, 2);

  wide.merge(LatencyHistogram(100us));

  EXPECT_EQ(wide.limit(), 100us);
  EXPECT_EQ(wide.counted(), 4u);
  EXPECT_EQ(wide.overflows(), 5u);
  EXPECT_EQ(wide.samples(), 9u);
}

TEST(LatencyHistogram, TakesNoMemoryForAnAbsurdLimit) {
  LatencyHistogram histogram(Latency::max());
  histogram.add(Latency(9'000'000'000'000'000'000));

  EXPECT_EQ(histogram.highest(), Latency(9'000'000'000'000'000'000));
}

TEST(LatencyHistogram, QuantileOfManySamplesDoesNotWrap) {
  // 4e15 samples times 999'999 is past 2^64. The last 4e9 of them are at 90 us, one
  // millionth is 4e9: p99.9999 is the last sample before those.
  LatencyHistogram histogram(100us);
  histogram.add(10us, 3'999'996'000'000'000);
  histogram.add(90us, 4'000'000'000);

  EXPECT_EQ(histogram.quantile(999'999), 10us);
  EXPECT_EQ(histogram.quantile(1'000'000), 90us);
}

}  // namespace
}  // namespace rtsweep
