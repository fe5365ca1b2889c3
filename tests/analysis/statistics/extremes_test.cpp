// SPDX-License-Identifier: GPL-2.0-or-later

// Extreme value fits, their errors, and the tests of whether they may be made.

#include <cmath>
#include <map>

#include "analysis/statistics/applicability.h"
#include "analysis/statistics/distributions.h"
#include "analysis/statistics/extremal_index.h"
#include "analysis/statistics/gev_errors.h"
#include "analysis/statistics/gpd.h"
#include "tests/analysis/statistics/reference.h"

namespace rtsweep::statistics {
namespace {

using rtsweep::testing::column_of;
using rtsweep::testing::Json;
using rtsweep::testing::numbers;

std::vector<double> port_pirie() { return column_of("data/portpirie.csv", 1); }
std::vector<double> rain() { return column_of("data/rain_daily_mm.csv", 0); }

struct Fitted {
  GevLikelihood likelihood;
  GevFit fit;
};

Fitted fitted(GevLikelihood likelihood, const Gev& start) {
  auto fit = fit_gev(likelihood, start);
  EXPECT_TRUE(fit) << fit.error().message();
  return {std::move(likelihood), fit ? *fit : GevFit{}};
}

Fitted fitted_port_pirie() {
  const auto levels = port_pirie();
  return fitted(likelihood_of(levels), gev_from_l_moments(l_moments(levels)));
}

std::vector<double> excesses_of_rain(double threshold) {
  std::vector<double> excesses;
  for (const double day : rain()) {
    if (day > threshold) excesses.push_back(day - threshold);
  }
  return excesses;
}

void expect_gev(const Gev& gev, const Json& expected, double tolerance) {
  EXPECT_NEAR(gev.location, expected["location"].get<double>(), tolerance);
  EXPECT_NEAR(gev.scale, expected["scale"].get<double>(), tolerance);
  EXPECT_NEAR(gev.shape, expected["shape_xi"].get<double>(), tolerance);
}

TEST(GevFit, OfPortPirieIsColess) {
  RTSWEEP_REFERENCE(reference, "gev_mle_portpirie");
  const Json expected = reference["expected"];

  const auto [likelihood, fit] = fitted_port_pirie();
  const auto errors = gev_covariance(likelihood, fit.gev);

  ASSERT_EQ(port_pirie().size(), 65u);
  expect_gev(fit.gev, expected, 1e-4);
  EXPECT_NEAR(fit.log_likelihood, expected["loglik"].get<double>(), 1e-5);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(std::sqrt(errors[i][i]), expected["se"][i].get<double>(), 1e-3);
    for (size_t j = 0; j < 3; ++j) {
      EXPECT_RELATIVE(errors[i][j], expected["cov"][i][j].get<double>(), 1e-3);
    }
  }
}

void expect_level(const Json& reference) {
  const double probability = 1 / reference["inputs"]["m"].get<double>();
  const double confidence = reference["inputs"]["confidence"];
  const Json expected = reference["expected"];
  const auto [likelihood, fit] = fitted_port_pirie();

  const double level = gev_level(fit.gev, probability);
  const double error = gev_level_error(likelihood, fit.gev, probability);
  const auto profile = gev_level_interval(likelihood, fit, probability, profile_cut(confidence));

  EXPECT_NEAR(level, expected["level"].get<double>(), 1e-4);
  EXPECT_NEAR(error, expected["delta_se"].get<double>(), 1e-4);
  const double half = normal_quantile((1 + confidence) / 2) * error;
  EXPECT_NEAR(level - half, expected["delta_ci"][0].get<double>(), 3e-4);
  EXPECT_NEAR(level + half, expected["delta_ci"][1].get<double>(), 3e-4);
  EXPECT_NEAR(profile.lower, expected["profile_ci"][0].get<double>(), 2e-3);
  EXPECT_NEAR(profile.upper, expected["profile_ci"][1].get<double>(), 2e-3);
}

TEST(GevLevel, OfOnceInTenYears) {
  RTSWEEP_REFERENCE(reference, "gev_return_level_portpirie_10");
  expect_level(reference);
}

TEST(GevLevel, OfOnceInAHundredYears) {
  RTSWEEP_REFERENCE(reference, "gev_return_level_portpirie_100");
  expect_level(reference);
}

TEST(GumbelFit, IsTestedAgainstTheGeneralOne) {
  RTSWEEP_REFERENCE(reference, "gumbel_vs_gev_portpirie");
  const Json expected = reference["expected"];
  const auto [likelihood, fit] = fitted_port_pirie();

  const auto gumbel = fit_gumbel(likelihood, fit.gev);
  const auto shape = gev_shape_interval(likelihood, fit, profile_cut(0.95));

  ASSERT_TRUE(gumbel);
  EXPECT_NEAR(gumbel->gev.location, expected["location"].get<double>(), 1e-4);
  EXPECT_NEAR(gumbel->gev.scale, expected["scale"].get<double>(), 1e-4);
  EXPECT_NEAR(gumbel->log_likelihood, expected["loglik"].get<double>(), 1e-4);
  const double deviance = 2 * (fit.log_likelihood - gumbel->log_likelihood);
  EXPECT_NEAR(deviance, expected["deviance"].get<double>(), 1e-4);
  EXPECT_NEAR(chi_squared_upper(deviance, 1), expected["p_value"].get<double>(), 1e-4);
  EXPECT_NEAR(shape.lower, expected["xi_profile_ci"][0].get<double>(), 2e-3);
  EXPECT_NEAR(shape.upper, expected["xi_profile_ci"][1].get<double>(), 2e-3);
}

TEST(LMoments, GiveTheStartOfAFit) {
  RTSWEEP_REFERENCE(reference, "gev_lmoments_portpirie");
  const Json expected = reference["expected"];

  const auto moments = l_moments(port_pirie());

  EXPECT_NEAR(moments.l1, expected["l1"].get<double>(), 1e-9);
  EXPECT_NEAR(moments.l2, expected["l2"].get<double>(), 1e-9);
  EXPECT_NEAR(moments.t3, expected["t3"].get<double>(), 1e-9);
  expect_gev(gev_from_l_moments(moments), expected["hosking_approx"], 1e-9);
  expect_gev(gev_from_l_moments_exactly(moments), expected["exact_root"], 1e-9);
}

void expect_grouped_fit(const Json& reference) {
  const Json in = reference["inputs"];
  const Json expected = reference["expected"];
  GroupedMaxima maxima{.buckets = {}, .width = in["width"]};
  for (size_t i = 0; i < in["counts"].size(); ++i) {
    maxima.buckets.push_back({in["bucket_lower"][i], in["counts"][i]});
  }
  maxima.censored = in["n_left_censored"];
  if (maxima.censored > 0) maxima.censored_below = in["left_censor_at"];

  const auto [likelihood, fit] = fitted(likelihood_of(maxima), start_for(maxima));

  EXPECT_NEAR(fit.gev.location, expected["location"].get<double>(), 1e-2);
  EXPECT_NEAR(fit.gev.scale, expected["scale"].get<double>(), 1e-2);
  EXPECT_NEAR(fit.gev.shape, expected["shape_xi"].get<double>(), 1e-4);
  EXPECT_NEAR(fit.log_likelihood, expected["loglik"].get<double>(), 1e-6);
  EXPECT_NEAR(gev_level(fit.gev, 0.01), expected["level_1_in_100_blocks"].get<double>(), 1e-2);
  const auto errors = gev_covariance(likelihood, fit.gev);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_RELATIVE(std::sqrt(errors[i][i]), expected["se"][i].get<double>(), 1e-3);
  }
}

TEST(GevFit, OfRoundedMaxima) {
  RTSWEEP_REFERENCE(reference, "gev_grouped_portpirie_10cm");
  expect_grouped_fit(reference);
}

TEST(GevFit, OfRoundedAndCensoredMaxima) {
  RTSWEEP_REFERENCE(reference, "gev_grouped_portpirie_10cm_leftcens390");
  expect_grouped_fit(reference);
}

TEST(ClusterAdjustment, WidensByTheDifferencesBetweenRuns) {
  RTSWEEP_REFERENCE(reference, "cluster_adjusted_gev");
  const Json expected = reference["expected"];
  std::vector<double> all;
  std::vector<GevLikelihood> runs;
  for (const Json& run : reference["inputs"]["runs_us"]) {
    runs.push_back(likelihood_of(numbers(run)));
    for (const double maximum : numbers(run)) all.push_back(maximum);
  }

  const auto [likelihood, fit] = fitted(likelihood_of(all), gev_from_l_moments(l_moments(all)));
  const auto adjusted = adjust_for_runs(runs, fit.gev, 1.0 / 60, 0.95);

  EXPECT_RELATIVE(fit.gev.location, expected["params"][0].get<double>(), 1e-4);
  EXPECT_RELATIVE(fit.gev.scale, expected["params"][1].get<double>(), 1e-4);
  EXPECT_RELATIVE(fit.gev.shape, expected["params"][2].get<double>(), 1e-4);
  EXPECT_RELATIVE(adjusted.error, expected["se_naive_level"].get<double>(), 1e-4);
  EXPECT_RELATIVE(adjusted.robust_error, expected["se_robust_level"].get<double>(), 1e-4);
  EXPECT_RELATIVE(adjusted.inflation, expected["c"].get<double>(), 1e-4);
  EXPECT_RELATIVE(adjusted.cut, expected["cut"].get<double>(), 1e-4);
}

TEST(GpdFit, OfRainIsColess) {
  RTSWEEP_REFERENCE(reference, "gpd_mle_rain_u30");
  const Json expected = reference["expected"];
  const auto days = static_cast<uint64_t>(rain().size());
  const auto excesses = excesses_of_rain(30);
  const double samples = 100 * 365.0;

  const auto fit = fit_gpd(excesses);

  ASSERT_TRUE(fit) << fit.error().message();
  EXPECT_EQ(days, expected["n"].get<uint64_t>());
  ASSERT_EQ(excesses.size(), expected["n_exceed"].get<size_t>());
  const double share = static_cast<double>(excesses.size()) / static_cast<double>(days);
  EXPECT_NEAR(share, expected["zeta_u"].get<double>(), 1e-12);
  EXPECT_NEAR(fit->gpd.scale, expected["scale"].get<double>(), 1e-3);
  EXPECT_NEAR(fit->gpd.shape, expected["shape_xi"].get<double>(), 1e-3);
  EXPECT_NEAR(fit->log_likelihood, expected["loglik"].get<double>(), 1e-5);
  EXPECT_NEAR(std::sqrt(fit->covariance[0][0]), expected["se"][0].get<double>(), 1e-3);
  EXPECT_NEAR(std::sqrt(fit->covariance[1][1]), expected["se"][1].get<double>(), 1e-3);
  EXPECT_NEAR(fit->covariance[0][1], expected["cov"][0][1].get<double>(), 1e-3);
  EXPECT_NEAR(30 + gpd_level(fit->gpd, samples, share), expected["return_level"].get<double>(),
              0.02);
  EXPECT_NEAR(gpd_level_error(*fit, samples, excesses.size(), days),
              expected["delta_se"].get<double>(), 0.02);
  const auto interval = gpd_level_interval(excesses, *fit, samples, share, profile_cut(0.95));
  EXPECT_NEAR(30 + interval.lower, expected["profile_ci_zeta_fixed"][0].get<double>(), 0.1);
  EXPECT_NEAR(30 + interval.upper, expected["profile_ci_zeta_fixed"][1].get<double>(), 0.1);
}

TEST(ExponentialTail, IsTestedAgainstTheGeneralOne) {
  RTSWEEP_REFERENCE(reference, "exponential_tail_rain_u30");
  const Json expected = reference["expected"];
  const auto excesses = excesses_of_rain(30);

  const auto tail = exponential_tail(excesses);
  const auto general = fit_gpd(excesses);

  ASSERT_TRUE(general);
  EXPECT_NEAR(tail.scale, expected["scale"].get<double>(), 1e-4);
  EXPECT_NEAR(tail.log_likelihood, expected["loglik"].get<double>(), 1e-4);
  const double deviance = 2 * (general->log_likelihood - tail.log_likelihood);
  EXPECT_NEAR(deviance, expected["deviance"].get<double>(), 1e-4);
  EXPECT_NEAR(chi_squared_upper(deviance, 1), expected["p_value"].get<double>(), 1e-4);
  EXPECT_NEAR(tail.coefficient_of_variation, expected["residual_cv"].get<double>(), 1e-4);
  const auto n = static_cast<double>(excesses.size());
  EXPECT_NEAR(tail.coefficient_of_variation * std::sqrt((n - 1) / n),
              expected["residual_cv_pop"].get<double>(), 1e-4);
}

void expect_grouped_tail(const Json& reference) {
  const Json in = reference["inputs"];
  const Json expected = reference["expected"];
  GroupedExcesses excesses{.buckets = {}, .width = in["width"]};
  std::vector<double> middles;
  for (size_t i = 0; i < in["counts"].size(); ++i) {
    const Bucket bucket{in["bucket_lower_edges_minus_u"][i], in["counts"][i]};
    excesses.buckets.push_back(bucket);
    middles.insert(middles.end(), bucket.count, bucket.lower + excesses.width / 2);
  }

  const auto fit = fit_gpd(excesses);
  const auto naive = fit_gpd(middles);

  ASSERT_TRUE(fit) << fit.error().message();
  EXPECT_NEAR(fit->gpd.scale, expected["scale"].get<double>(), 1e-3);
  EXPECT_NEAR(fit->gpd.shape, expected["shape_xi"].get<double>(), 1e-4);
  EXPECT_NEAR(fit->log_likelihood, expected["loglik"].get<double>(), 1e-6);
  EXPECT_NEAR(std::sqrt(fit->covariance[0][0]), expected["se"][0].get<double>(), 1e-3);
  EXPECT_NEAR(std::sqrt(fit->covariance[1][1]), expected["se"][1].get<double>(), 1e-4);
  // What comes out when middles are taken for exact values.
  ASSERT_TRUE(naive);
  EXPECT_NEAR(naive->gpd.scale, expected["midpoint_naive"]["scale"].get<double>(), 1e-3);
  EXPECT_NEAR(naive->gpd.shape, expected["midpoint_naive"]["shape_xi"].get<double>(), 1e-4);
}

TEST(GpdFit, OfMillimetreBuckets) {
  RTSWEEP_REFERENCE(reference, "gpd_grouped_rain_u30_w1");
  expect_grouped_tail(reference);
}

TEST(GpdFit, OfFiveMillimetreBuckets) {
  RTSWEEP_REFERENCE(reference, "gpd_grouped_rain_u30_w5");
  expect_grouped_tail(reference);
}

TEST(GpdFit, OfALatencyTailWithOverflows) {
  RTSWEEP_REFERENCE(reference, "gpd_grouped_synthetic_latency");
  const Json in = reference["inputs"];
  const Json expected = reference["expected"];
  const double threshold = in["threshold_us"];
  GroupedExcesses excesses{.buckets = {},
                           .width = in["bucket_width_us"],
                           .overflow_from = in["overflow_from_us"].get<double>() - threshold,
                           .overflows = in["overflow_count"]};
  uint64_t exceeding = excesses.overflows;
  for (size_t i = 0; i < in["counts"].size(); ++i) {
    excesses.buckets.push_back({static_cast<double>(i), in["counts"][i]});
    exceeding += in["counts"][i].get<uint64_t>();
  }

  const auto fit = fit_gpd(excesses);

  ASSERT_TRUE(fit) << fit.error().message();
  EXPECT_NEAR(fit->gpd.scale, expected["scale"].get<double>(), 1e-3);
  EXPECT_NEAR(fit->gpd.shape, expected["shape_xi"].get<double>(), 1e-4);
  EXPECT_NEAR(fit->log_likelihood, expected["loglik"].get<double>(), 1e-3);
  EXPECT_NEAR(std::sqrt(fit->covariance[0][0]), expected["se"][0].get<double>(), 1e-4);
  EXPECT_NEAR(std::sqrt(fit->covariance[1][1]), expected["se"][1].get<double>(), 1e-4);
  const double share = static_cast<double>(exceeding) / in["total_samples"].get<double>();
  EXPECT_NEAR(share, expected["exceed_probability_per_sample"].get<double>(), 1e-12);
  EXPECT_NEAR(threshold + gpd_level(fit->gpd, in["samples_per_return_period"], share),
              expected["return_level_us"].get<double>(), 0.02);
}

TEST(LjungBox, IsRsBoxTest) {
  RTSWEEP_REFERENCE(reference, "ljung_box_lh");
  const auto series = numbers(reference["inputs"]["x"]);
  for (size_t i = 0; i < reference["inputs"]["lags"].size(); ++i) {
    const auto test = ljung_box(series, reference["inputs"]["lags"][i]);

    EXPECT_NEAR(test.q, reference["expected"]["Q"][i].get<double>(), 1e-8);
    EXPECT_NEAR(test.p_value, reference["expected"]["p"][i].get<double>(), 1e-8);
  }
}

TEST(RunsTest, IsThatOfTheHandbook) {
  RTSWEEP_REFERENCE(reference, "runs_test");
  const Json expected = reference["expected"];
  std::vector<bool> signs;
  for (const int sign : reference["inputs"]["signs"]) signs.push_back(sign != 0);

  const auto test = runs_test(signs);

  EXPECT_EQ(test.ones, expected["n1"].get<size_t>());
  EXPECT_EQ(test.zeros, expected["n0"].get<size_t>());
  EXPECT_EQ(test.runs, expected["runs"].get<size_t>());
  EXPECT_NEAR(test.expected, expected["expected"].get<double>(), 1e-10);
  EXPECT_NEAR(test.variance, expected["variance"].get<double>(), 1e-10);
  EXPECT_NEAR(test.z, expected["Z"].get<double>(), 1e-10);
  EXPECT_NEAR(test.p_two_sided, expected["p_two_sided"].get<double>(), 1e-10);
}

TEST(Kpss, IsThatOfStatsmodels) {
  RTSWEEP_REFERENCE(reference, "kpss_level_nile");
  const auto series = numbers(reference["inputs"]["x"]);
  for (size_t i = 0; i < reference["inputs"]["lags"].size(); ++i) {
    EXPECT_NEAR(kpss_level(series, reference["inputs"]["lags"][i]),
                reference["expected"]["statistic"][i].get<double>(), 1e-8);
  }
  EXPECT_EQ(kKpssOnePercent, reference["expected"]["critical"]["0.01"].get<double>());
}

TEST(ApplicabilityTests, FindNothingInEqualValues) {
  const std::vector<double> equal(50, 12.0);

  EXPECT_EQ(ljung_box(equal, 10).p_value, 1);
  EXPECT_EQ(kpss_level(equal, 3), 0);
  EXPECT_EQ(runs_test(std::vector<bool>(50, true)).p_two_sided, 1);
}

TEST(ExtremalIndex, IsThatOfEvd) {
  RTSWEEP_REFERENCE(reference, "extremal_index_rain");
  const auto days = rain();
  for (const double threshold : {20.0, 30.0}) {
    std::vector<uint64_t> positions;
    for (size_t day = 0; day < days.size(); ++day) {
      if (days[day] > threshold) positions.push_back(day);
    }
    const Json expected = reference["expected"][threshold < 25 ? "u20" : "u30"];

    EXPECT_NEAR(extremal_index_by_intervals(positions), expected["intervals"].get<double>(), 1e-9);
    EXPECT_NEAR(extremal_index_by_runs(positions, 1), expected["runs_r1"].get<double>(), 1e-9);
    EXPECT_NEAR(extremal_index_by_runs(positions, 3), expected["runs_r3"].get<double>(), 1e-9);
  }
}

TEST(ExtremalIndex, ComesFromMaximaAndAHistogram) {
  RTSWEEP_REFERENCE(reference, "extremal_index_from_block_maxima");
  const Json in = reference["inputs"];
  const double probability = in["exceed"].get<double>() / in["samples"].get<double>();

  const double theta =
      extremal_index_from_maxima(in["blocks"], in["blocks_over"], in["block"], probability);

  EXPECT_NEAR(theta, reference["expected"]["theta"].get<double>(), 1e-12);
  EXPECT_NEAR(1 / theta, reference["expected"]["mean_cluster"].get<double>(), 1e-12);
}

}  // namespace
}  // namespace rtsweep::statistics
