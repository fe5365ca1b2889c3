// SPDX-License-Identifier: GPL-2.0-or-later

// The tests that comparisons are made of, against published values.

#include <algorithm>
#include <cmath>

#include "analysis/statistics/compare.h"
#include "analysis/statistics/log_ratio_tests.h"
#include "analysis/statistics/multiplicity.h"
#include "analysis/statistics/naive_comparison.h"
#include "analysis/statistics/power.h"
#include "analysis/statistics/rank_tests.h"
#include "tests/analysis/statistics/reference.h"

namespace rtsweep::statistics {
namespace {

using rtsweep::testing::Json;
using rtsweep::testing::numbers;

std::vector<double> logs(const Json& latencies) {
  std::vector<double> result;
  for (const double latency : numbers(latencies)) result.push_back(std::log(latency));
  return result;
}

TEST(Multiplicity, AdjustsAsHolmAndBenjaminiAndHochberg) {
  RTSWEEP_REFERENCE(reference, "holm_bh");
  const auto p_values = numbers(reference["inputs"]["p"]);
  const auto expected_holm = numbers(reference["expected"]["holm"]);
  const auto expected_bh = numbers(reference["expected"]["bh"]);

  const auto by_holm = holm(p_values);
  const auto by_bh = benjamini_hochberg(p_values);

  const auto rejected = [](const std::vector<double>& adjusted) {
    return std::count_if(adjusted.begin(), adjusted.end(), [](double p) { return p <= 0.05; });
  };
  for (size_t i = 0; i < p_values.size(); ++i) {
    EXPECT_NEAR(by_holm[i], expected_holm[i], 1e-12);
    EXPECT_NEAR(by_bh[i], expected_bh[i], 1e-12);
  }
  EXPECT_EQ(rejected(by_holm), reference["expected"]["n_reject_holm_005"].get<int>());
  EXPECT_EQ(rejected(by_bh), reference["expected"]["n_reject_bh_005"].get<int>());
}

TEST(Multiplicity, KeepsTheOrderOfTheInput) {
  const double p_values[] = {0.5, 0.01, 0.02};

  EXPECT_EQ(holm(p_values), (std::vector<double>{0.5, 0.03, 0.04}));
}

TEST(Multiplicity, OneOfTwoNeedsHalfOrBoth) {
  EXPECT_NEAR(either(0.025, 0.9), 0.05, 1e-15);
  EXPECT_NEAR(either(0.05, 0.04), 0.05, 1e-15);
  EXPECT_NEAR(either(0.03, 0.06), 0.06, 1e-15);
}

TEST(ModeratedVariance, IsSmyths) {
  RTSWEEP_REFERENCE(reference, "moderated_variance");
  const double degrees = reference["inputs"]["residual_df"];
  const auto cells = [&](const char* set) {
    std::vector<SampleVariance> result;
    for (const double s2 : numbers(reference["inputs"][set])) result.push_back({s2, degrees});
    return result;
  };

  const auto alike = fit_variance_prior(cells("set1"));
  const auto unlike = fit_variance_prior(cells("set2"));

  const Json set1 = reference["expected"]["set1"];
  EXPECT_TRUE(std::isinf(alike.degrees));
  EXPECT_RELATIVE(alike.variance, set1["s02"].get<double>(), 1e-6);
  const Json set2 = reference["expected"]["set2"];
  EXPECT_RELATIVE(unlike.degrees, set2["d0"].get<double>(), 1e-6);
  EXPECT_RELATIVE(unlike.variance, set2["s02"].get<double>(), 1e-6);
  const auto posterior = numbers(set2["posterior_variances"]);
  for (size_t i = 0; i < posterior.size(); ++i) {
    EXPECT_RELATIVE(moderate(cells("set2")[i], unlike).variance, posterior[i], 1e-6);
  }
}

TEST(PairedRatio, GivesTheWorkedVerdict) {
  RTSWEEP_REFERENCE(reference, "moderated_paired_verdict");
  const Json in = reference["inputs"];
  const Json expected = reference["expected"];
  const auto olds = logs(in["baseline_us"]);
  auto differences = logs(in["new_us"]);
  for (size_t i = 0; i < olds.size(); ++i) differences[i] -= olds[i];

  const auto alone = paired_ratio(differences);
  const auto ratio = paired_ratio(differences, {in["d0"], in["s02"]});

  EXPECT_NEAR(ratio.ratio(), expected["ratio"].get<double>(), 1e-9);
  EXPECT_NEAR(alone.variance.variance, expected["s2"].get<double>(), 1e-9);
  EXPECT_NEAR(ratio.variance.variance, expected["s2_post"].get<double>(), 1e-9);
  EXPECT_NEAR(ratio.degrees, expected["df"].get<double>(), 1e-9);
  EXPECT_NEAR(ratio.t(), expected["t"].get<double>(), 1e-9);
  EXPECT_NEAR(ratio.p_worse(), expected["p_worse"].get<double>(), 1e-9);
  EXPECT_NEAR(ratio.p_reaches(in["margin"]), expected["p_not_noninferior"].get<double>(), 1e-9);
  EXPECT_NEAR(ratio.interval().lower, expected["ci90"][0].get<double>(), 1e-9);
  EXPECT_NEAR(ratio.interval().upper, expected["ci90"][1].get<double>(), 1e-9);
  EXPECT_EQ(answer_name(answer_for(ratio, in["margin"], 0.05)), expected["verdict"]);
}

TEST(UnpairedRatio, IsWelchs) {
  RTSWEEP_REFERENCE(reference, "run_comparison_logs");
  const auto olds = logs(reference["inputs"]["baseline_us"]);
  const auto news = logs(reference["inputs"]["new_us"]);
  const Json expected = reference["expected"];

  const auto ratio = unpaired_ratio(olds, news);
  const auto permuted = exact_permutation(olds, news);

  EXPECT_NEAR(ratio.ratio(), expected["ratio"].get<double>(), 1e-9);
  EXPECT_NEAR(ratio.t(), expected["t"].get<double>(), 1e-9);
  EXPECT_NEAR(ratio.degrees, expected["df"].get<double>(), 1e-9);
  EXPECT_NEAR(ratio.p_worse(), expected["p_one_sided"].get<double>(), 1e-9);
  EXPECT_NEAR(2 * ratio.p_worse(), expected["p_two_sided"].get<double>(), 1e-9);
  EXPECT_NEAR(ratio.interval().lower, expected["ci90_ratio"][0].get<double>(), 1e-9);
  EXPECT_NEAR(ratio.interval().upper, expected["ci90_ratio"][1].get<double>(), 1e-9);
  ASSERT_TRUE(permuted);
  EXPECT_NEAR(permuted->worse, expected["perm_p_greater"].get<double>(), 1e-9);
  EXPECT_NEAR(permuted->two_sided, expected["perm_p_two_sided"].get<double>(), 1e-9);
  const double margin = 1 + reference["inputs"]["margin"].get<double>();
  EXPECT_EQ(answer_name(answer_for(ratio, margin, 0.05)), expected["verdict"]);
}

// Five positive differences: only the unflipped signs reach the sum, 1 of 32.
TEST(SignFlips, OfFiveWorsePairsAreOneIn32) {
  const double differences[] = {0.1, 0.2, 0.15, 0.05, 0.3};

  const auto flips = exact_sign_flips(differences);

  ASSERT_TRUE(flips);
  EXPECT_DOUBLE_EQ(flips->worse, 1.0 / 32);
  EXPECT_DOUBLE_EQ(flips->two_sided, 2.0 / 32);
}

TEST(ExactTests, DeclineWhatTakesTooLong) {
  const std::vector<double> many(40, 1.0);

  EXPECT_FALSE(exact_permutation(many, many));
  EXPECT_FALSE(exact_sign_flips(many));
}

TEST(MannWhitney, IsThatOfHollanderAndWolfe) {
  RTSWEEP_REFERENCE(reference, "mann_whitney_hodges_lehmann");
  const auto x = numbers(reference["inputs"]["x"]);
  const auto y = numbers(reference["inputs"]["y"]);
  const Json expected = reference["expected"];

  const auto test = mann_whitney(x, y);
  const auto shift = hodges_lehmann(x, y, 0.95);

  EXPECT_NEAR(test.u, expected["U"].get<double>(), 1e-9);
  EXPECT_NEAR(test.p_greater, expected["p_greater"].get<double>(), 1e-9);
  EXPECT_NEAR(test.p_two_sided, expected["p_two_sided"].get<double>(), 1e-9);
  EXPECT_NEAR(shift.shift, expected["hodges_lehmann"].get<double>(), 1e-9);
  EXPECT_NEAR(shift.interval.lower, expected["ci95"][0].get<double>(), 1e-9);
  EXPECT_NEAR(shift.interval.upper, expected["ci95"][1].get<double>(), 1e-9);
  EXPECT_NEAR(shift.achieved_confidence, expected["achieved_conf"].get<double>(), 1e-9);
}

TEST(MannWhitney, IsThatOfScipysDocumentation) {
  RTSWEEP_REFERENCE(reference, "mann_whitney_scipy_doc");

  const auto test =
      mann_whitney(numbers(reference["inputs"]["x"]), numbers(reference["inputs"]["y"]));

  EXPECT_NEAR(test.u, reference["expected"]["U"].get<double>(), 1e-12);
  EXPECT_NEAR(test.p_two_sided, reference["expected"]["p_two_sided"].get<double>(), 1e-12);
}

TEST(MannWhitney, CannotFindAnythingInThreeRuns) {
  RTSWEEP_REFERENCE(reference, "mann_whitney_min_p");
  for (size_t i = 0; i < reference["inputs"]["n"].size(); ++i) {
    const unsigned runs = reference["inputs"]["n"][i];
    EXPECT_NEAR(least_rank_p(runs), reference["expected"]["one_sided"][i].get<double>(), 1e-15);
    EXPECT_NEAR(2 * least_rank_p(runs), reference["expected"]["two_sided"][i].get<double>(), 1e-15);
  }
  const double low[] = {1, 2, 3};
  const double high[] = {4, 5, 6};
  EXPECT_NEAR(mann_whitney(high, low).p_greater, least_rank_p(3), 1e-15);
}

TEST(BrunnerMunzel, IsThatOfScipysDocumentation) {
  RTSWEEP_REFERENCE(reference, "brunner_munzel_vargha_delaney");
  const Json expected = reference["expected"];

  const auto test =
      brunner_munzel(numbers(reference["inputs"]["x"]), numbers(reference["inputs"]["y"]));

  EXPECT_NEAR(test.statistic, expected["statistic"].get<double>(), 1e-9);
  EXPECT_NEAR(test.p_two_sided, expected["p_value"].get<double>(), 1e-9);
  EXPECT_NEAR(test.probability_greater, expected["A"].get<double>(), 1e-9);
  EXPECT_NEAR(test.cliffs_delta, expected["cliffs_delta"].get<double>(), 1e-9);
}

TEST(Power, IsRsPowerTTest) {
  RTSWEEP_REFERENCE(reference, "power_two_sample_t");

  EXPECT_NEAR(two_sample_power(20, 1, 0.025), reference["expected"]["power"].get<double>(), 1e-6);
  EXPECT_NEAR(two_sample_runs(0.9, 1, 0.025), reference["expected"]["n"].get<double>(), 1e-3);
}

TEST(Power, GivesTheRunsOfACell) {
  RTSWEEP_REFERENCE(reference, "runs_needed_one_sided");
  const double tails[] = {0.05, 0.05, 0.01, 0.01};
  const double powers[] = {0.8, 0.9, 0.8, 0.9};
  for (size_t row = 0; row < reference["inputs"]["rows"].size(); ++row) {
    const Json in = reference["inputs"]["rows"][row];
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(runs_per_cell(in[0], in[1], tails[i], powers[i]),
                reference["expected"]["n"][row][i].get<uint64_t>())
          << in << " " << i;
    }
  }
}

TEST(Power, SaysWhenNoNumberOfRunsWillDo) {
  EXPECT_EQ(runs_per_cell(5.0, 1.0001, 0.05, 0.9), std::nullopt);
  EXPECT_EQ(pairs_needed(1.0001, 25, 0, 0.05, 0.9), std::nullopt);
}

// With known variance (infinite prior degrees) this is the z test: (1.645 + 0.842)^2 (s / ln r)^2,
// for r = 1.2 and s = 0.1: 6.18 * 0.01 / 0.03324 = 1.86, so two pairs.
TEST(Power, OfPairsWithKnownVarianceIsTheZTest) {
  constexpr double kKnown = std::numeric_limits<double>::infinity();

  EXPECT_EQ(pairs_needed(1.2, 0.01, kKnown, 0.05, 0.8), 2u);
  EXPECT_EQ(pairs_needed(1.2, 0.09, kKnown, 0.05, 0.8), 17u);  // 16.74
}

TEST(NaiveComparison, AlarmsAsOftenAsComputed) {
  RTSWEEP_REFERENCE(reference, "naive_max_false_alarm");
  const Json in = reference["inputs"];
  for (size_t i = 0; i < in["k"].size(); ++i) {
    EXPECT_NEAR(record_probability(in["k"][i]),
                reference["expected"]["one_over_k_plus_1"][i].get<double>(), 1e-6);
  }
  for (size_t i = 0; i < in["gumbel"]["r"].size(); ++i) {
    EXPECT_NEAR(naive_false_alarm(in["gumbel"]["m"], in["gumbel"]["s"], in["gumbel"]["r"][i]),
                reference["expected"]["gumbel"][i].get<double>(), 1e-6);
  }
}

}  // namespace
}  // namespace rtsweep::statistics
