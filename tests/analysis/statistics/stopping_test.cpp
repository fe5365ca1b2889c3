// SPDX-License-Identifier: GPL-2.0-or-later

// Gates and early stopping.

#include <cmath>

#include "analysis/statistics/acceptance_plan.h"
#include "analysis/statistics/distributions.h"
#include "analysis/statistics/early_stopping.h"
#include "analysis/statistics/group_sequential.h"
#include "tests/analysis/statistics/reference.h"

namespace rtsweep::statistics {
namespace {

using rtsweep::testing::Json;
using rtsweep::testing::numbers;

TEST(AcceptancePlan, IsThatOfTheHandbook) {
  RTSWEEP_REFERENCE(reference, "gate_zero_failure_plan");
  const Json in = reference["inputs"];
  const double alpha = 1 - in["confidence"].get<double>();
  const double good = in["lambda_ratio_good_over_bad"];
  for (size_t i = 0; i < in["c"].size(); ++i) {
    const uint64_t allowed = in["c"][i];
    const double exposure = exposure_needed(allowed, alpha);

    EXPECT_NEAR(exposure, reference["expected"]["T_lambda1"][i].get<double>(), 1e-6);
    EXPECT_NEAR(pass_probability(allowed, exposure * good),
                reference["expected"]["pass_prob_good"][i].get<double>(), 1e-6);
  }
}

// stats.md (g): at most 1 per 24 h needs 72 h with no event, or 151 h with two.
TEST(AcceptancePlan, UsesTheTimeToAlarmLess) {
  const auto short_plan = plan_for(1.0 / 24, 100);
  const auto long_plan = plan_for(1.0 / 24, 160);

  ASSERT_TRUE(short_plan && long_plan);
  EXPECT_EQ(short_plan->allowed, 0u);
  EXPECT_NEAR(short_plan->hours, 71.9, 0.05);
  EXPECT_NEAR(short_plan->false_alarm, 0.26, 0.005);
  EXPECT_EQ(long_plan->allowed, 2u);
  EXPECT_NEAR(long_plan->hours, 151.1, 0.05);
  EXPECT_NEAR(long_plan->false_alarm, 0.026, 0.0005);
  EXPECT_TRUE(passes(*long_plan, 2, 152));
  EXPECT_FALSE(passes(*long_plan, 3, 152));
  EXPECT_FALSE(passes(*long_plan, 0, 100));
}

TEST(AcceptancePlan, OfTenMinutesCannotGateOncePerDay) {
  EXPECT_FALSE(plan_for(1.0 / 24, 1.0 / 6));
  EXPECT_NEAR(least_rate_provable(1.0 / 6), 18, 0.05);
}

TEST(Sprt, HasWaldsLines) {
  RTSWEEP_REFERENCE(reference, "sprt_poisson");
  const Json in = reference["inputs"];
  const Json expected = reference["expected"];
  const Sprt sprt{in["lambda0"], in["lambda1"], in["alpha"], in["beta"]};

  EXPECT_NEAR(sprt.log_reject(), expected["lnA"].get<double>(), 1e-12);
  EXPECT_NEAR(sprt.log_accept(), expected["lnB"].get<double>(), 1e-12);
  for (size_t i = 0; i < in["times"].size(); ++i) {
    EXPECT_NEAR(sprt.bad_at(in["times"][i]), expected["reject_at"][i].get<double>(), 1e-12);
    EXPECT_NEAR(sprt.good_at(in["times"][i]), expected["accept_at"][i].get<double>(), 1e-12);
  }
}

TEST(Evidence, OfAGammaMixture) {
  RTSWEEP_REFERENCE(reference, "evalue_gamma_poisson");
  const Json in = reference["inputs"];
  for (size_t i = 0; i < in["rows"].size(); ++i) {
    EXPECT_RELATIVE(
        evidence_against_rate(in["rows"][i][0], in["rows"][i][1], in["l0"], in["a"], in["b"]),
        reference["expected"]["e"][i].get<double>(), 1e-10);
  }
}

TEST(Evidence, OfOneSidedMixtures) {
  RTSWEEP_REFERENCE(reference, "evalue_rate_one_sided");
  const Json in = reference["inputs"];
  for (size_t i = 0; i < in["rows"].size(); ++i) {
    const double expected_events = in["rows"][i][1].get<double>() * in["l0"].get<double>();
    EXPECT_RELATIVE(evidence_of_bad(in["rows"][i][0], expected_events),
                    reference["expected"]["e_bad"][i].get<double>(), 1e-9);
  }
  for (size_t i = 0; i < in["good_rows"].size(); ++i) {
    const double expected_events = in["good_rows"][i][1].get<double>() * in["l1"].get<double>();
    EXPECT_RELATIVE(evidence_of_good(in["good_rows"][i][0], expected_events),
                    reference["expected"]["e_good"][i].get<double>(), 1e-9);
  }
}

TEST(MaxSprt, HasKulldorffsCriticalValues) {
  RTSWEEP_REFERENCE(reference, "maxsprt_poisson");
  const auto horizons = numbers(reference["inputs"]["T"]);
  for (size_t i = 0; i < horizons.size(); ++i) {
    EXPECT_NEAR(max_sprt_critical(horizons[i], reference["inputs"]["alpha"]),
                reference["expected"]["cv"][i].get<double>(), 1e-5);
  }
}

// 3 ln(3 / 1) - 2 = 1.295837.
TEST(MaxSprt, CountsOnlyWhatIsAboveExpectation) {
  EXPECT_NEAR(max_sprt_statistic(3, 1), 1.295837, 1e-6);
  EXPECT_EQ(max_sprt_statistic(1, 3), 0);
}

TEST(GroupSequential, HasTheConstantsOfTheTables) {
  RTSWEEP_REFERENCE(reference, "group_sequential_bounds");
  const Json expected = reference["expected"];
  const double alpha = reference["inputs"]["alpha"];

  const auto five = obrien_fleming_bounds(5, alpha);
  const auto three = obrien_fleming_bounds(3, alpha);

  EXPECT_NEAR(five.back(), expected["obf5"].get<double>(), 1e-3);
  EXPECT_NEAR(three.back(), expected["obf3"].get<double>(), 1e-3);
  EXPECT_NEAR(pocock_bounds(5, alpha).front(), expected["pocock5"].get<double>(), 1e-3);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(five[i], expected["obf5_z"][i].get<double>(), 1e-3);
  }
}

TEST(GroupSequential, SpendsAsLanAndDeMets) {
  RTSWEEP_REFERENCE(reference, "lan_demets_obf_bounds");
  const Json expected = reference["expected"];
  const auto five = numbers(reference["inputs"]["information"][0]);
  const auto pairs = numbers(reference["inputs"]["information"][1]);

  const auto two_sided = spending_bounds(five, 0.05, Sides::kTwo);
  const auto one_sided = spending_bounds(pairs, 0.05, Sides::kOne);

  for (size_t i = 0; i < five.size(); ++i) {
    EXPECT_NEAR(two_sided[i], expected["two_sided_z"][i].get<double>(), 2e-3);
  }
  for (size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_NEAR(one_sided[i], expected["one_sided_z"][i].get<double>(), 2e-3);
    EXPECT_NEAR(obrien_fleming_spent(pairs[i], 0.05),
                expected["one_sided_cum_alpha"][i].get<double>(), 2e-3);
    EXPECT_NEAR(normal_upper(one_sided[i]), expected["one_sided_nominal_p"][i].get<double>(), 2e-3);
  }
}

}  // namespace
}  // namespace rtsweep::statistics
