// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/quantiles.h"

#include <cmath>

#include "analysis/statistics/omission.h"
#include "tests/analysis/statistics/reference.h"

namespace rtsweep::statistics {
namespace {

using rtsweep::testing::Json;

Buckets buckets_of(const Json& histogram) {
  std::map<int, uint64_t> ordered;
  for (const auto& [lower, count] : histogram.items()) ordered[std::stoi(lower)] = count;
  Buckets buckets;
  for (const auto& [lower, count] : ordered) buckets.push_back({static_cast<double>(lower), count});
  return buckets;
}

TEST(QuantileRanks, AreThoseOfTheTables) {
  RTSWEEP_REFERENCE(reference, "quantile_order_stat_ci");
  for (size_t i = 0; i < reference["inputs"]["rows"].size(); ++i) {
    const Json row = reference["inputs"]["rows"][i];
    const Json expected = reference["expected"]["ranks_and_coverage"][i];

    const auto ranks = quantile_ranks(row[0].get<double>(), row[1], row[2]);

    EXPECT_EQ(ranks.lower, expected[0].get<uint64_t>()) << row;
    EXPECT_EQ(ranks.upper, expected[1].get<uint64_t>()) << row;
    EXPECT_NEAR(ranks.coverage, expected[2].get<double>(), 1e-9) << row;
  }
}

// The median of 100: ranks 40 and 61, David & Nagaraja, Order Statistics, 7.1.
TEST(QuantileRanks, HoldTheMedianOfAHundred) {
  const auto ranks = quantile_ranks(100, 0.5, 0.95);

  EXPECT_EQ(ranks.lower, 40u);
  EXPECT_EQ(ranks.upper, 61u);
  EXPECT_NEAR(ranks.coverage, 0.9648, 5e-5);
}

// All ten below the median: 2^-10; one of 2 x 2^-10 is under 5 %, so is rank 2, at 11 / 1024.
TEST(QuantileRanks, OfFewSamplesLeaveEndsOpen) {
  EXPECT_EQ(quantile_ranks(10, 0.5, 0.95).lower, 2u);
  EXPECT_EQ(quantile_ranks(10, 0.5, 0.95).upper, 9u);
  EXPECT_EQ(quantile_ranks(5, 0.5, 0.95).lower, 0u);  // 2^-5 > 2.5 %
  EXPECT_EQ(quantile_ranks(5, 0.5, 0.95).upper, 6u);
}

TEST(NearestRank, IsNotCarriedUpByRounding) {
  EXPECT_EQ(nearest_rank(1'000'000, 0.99999), 999'990u);
  EXPECT_EQ(nearest_rank(1'000'000, 0.999), 999'000u);
  EXPECT_EQ(nearest_rank(1'000'000'000, 0.999999999), 999'999'999u);
  EXPECT_EQ(nearest_rank(7, 0.5), 4u);
  EXPECT_EQ(nearest_rank(7, 0), 1u);
}

TEST(BucketQuantile, HasTheBucketsOfItsRanks) {
  RTSWEEP_REFERENCE(reference, "histogram_quantile_ci");
  const auto buckets = buckets_of(reference["inputs"]["histogram"]);
  for (const auto& [probability, expected] : reference["expected"].items()) {
    const auto estimate = bucket_quantile(buckets, 0, std::stod(probability), 0.95);

    EXPECT_EQ(estimate.rank, expected["rank"].get<uint64_t>()) << probability;
    EXPECT_EQ(estimate.ranks.lower, expected["ranks"][0].get<uint64_t>()) << probability;
    EXPECT_EQ(estimate.ranks.upper, expected["ranks"][1].get<uint64_t>()) << probability;
    EXPECT_EQ(estimate.value, expected["value_bucket"].get<double>()) << probability;
    EXPECT_EQ(estimate.lower, expected["ci_bucket"][0].get<double>()) << probability;
    const Json upper = expected["ci_bucket"][1];
    const auto limit = upper.is_null() ? std::optional<double>() : upper.get<double>();
    EXPECT_EQ(estimate.upper, limit) << probability;
  }
}

TEST(BucketQuantile, AmongOverflowsIsUnknown) {
  const auto estimate = bucket_quantile({{5, 90}}, 10, 0.95, 0.95);

  EXPECT_EQ(estimate.rank, 95u);
  EXPECT_EQ(estimate.value, std::nullopt);
  EXPECT_EQ(estimate.lower, 5.0);  // rank 90 of 100 is the last counted one
}

TEST(BucketQuantile, OfNothingIsNothing) {
  EXPECT_EQ(bucket_quantile({}, 0, 0.5, 0.95).value, std::nullopt);
}

TEST(SamplesToBound, AreThoseOfWilks) {
  RTSWEEP_REFERENCE(reference, "wilks_sample_size");
  for (size_t i = 0; i < reference["inputs"]["rows"].size(); ++i) {
    const Json row = reference["inputs"]["rows"][i];
    EXPECT_EQ(samples_to_bound(row[0], row[1], row[2]),
              reference["expected"]["n"][i].get<uint64_t>())
        << row;
  }
}

// Published: 59, 93 and 124 samples for 95 %/95 %.
TEST(SamplesToBound, GrowWithTheOrder) {
  EXPECT_EQ(samples_to_bound(0.05, 0.95, 1), 59u);
  EXPECT_EQ(samples_to_bound(0.05, 0.95, 2), 93u);
  EXPECT_EQ(samples_to_bound(0.05, 0.95, 3), 124u);
}

TEST(ProvenTailProbability, IsTheRuleOfThree) {
  RTSWEEP_REFERENCE(reference, "max_bounds_quantile");
  const auto samples = testing::numbers(reference["inputs"]["n"]);
  const auto confidences = testing::numbers(reference["inputs"]["confidence"]);
  for (size_t i = 0; i < samples.size(); ++i) {
    for (size_t j = 0; j < confidences.size(); ++j) {
      EXPECT_RELATIVE(proven_tail_probability(samples[i], confidences[j]),
                      reference["expected"]["q"][i][j].get<double>(), 1e-10);
    }
  }
}

TEST(SkippedActivations, ArePutBack) {
  RTSWEEP_REFERENCE(reference, "coordinated_omission");
  const auto recorded = buckets_of(reference["inputs"]["histogram"]);
  const Json expected = reference["expected"];

  const auto corrected =
      with_skipped_activations(recorded, reference["inputs"]["interval_us"].get<double>());

  EXPECT_EQ(corrected, buckets_of(expected["corrected"]));
  EXPECT_EQ(total(recorded), expected["recorded"].get<uint64_t>());
  EXPECT_EQ(total(corrected), expected["activations"].get<uint64_t>());
  EXPECT_EQ(total(corrected) - total(recorded), expected["expected_missing"].get<uint64_t>());
  const auto share_above = [](const Buckets& buckets) {
    return static_cast<double>(count_above(buckets, 200)) / static_cast<double>(total(buckets));
  };
  EXPECT_DOUBLE_EQ(share_above(recorded), expected["fraction_above_200_recorded"].get<double>());
  EXPECT_DOUBLE_EQ(share_above(corrected), expected["fraction_above_200_corrected"].get<double>());
}

}  // namespace
}  // namespace rtsweep::statistics
