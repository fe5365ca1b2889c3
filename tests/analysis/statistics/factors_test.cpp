// SPDX-License-Identifier: GPL-2.0-or-later

#include <algorithm>
#include <cmath>

#include "analysis/statistics/anova.h"
#include "analysis/statistics/effects.h"
#include "analysis/statistics/factorial.h"
#include "tests/analysis/statistics/reference.h"

namespace rtsweep::statistics {
namespace {

using rtsweep::testing::column_of;
using rtsweep::testing::Json;
using rtsweep::testing::numbers;

TEST(FactorialEffects, AreThoseOfThePilotPlant) {
  RTSWEEP_REFERENCE(reference, "factorial_2x3_pilot_plant");
  const Json expected = reference["expected"]["effects"];

  const auto result = factorial_effects(numbers(reference["inputs"]["y"]));

  ASSERT_TRUE(result);
  EXPECT_NEAR(result->mean, reference["expected"]["mean"].get<double>(), 1e-12);
  const char* names[] = {"", "T", "C", "TC", "K", "TK", "CK", "TCK"};
  for (size_t i = 1; i < 8; ++i) {
    EXPECT_NEAR(result->effects[i], expected[names[i]].get<double>(), 1e-12) << names[i];
  }
}

TEST(FactorialEffects, NeedAPowerOfTwo) {
  const double six[] = {1, 2, 3, 4, 5, 6};

  EXPECT_FALSE(factorial_effects(six));
}

std::vector<size_t> levels_in(const std::string& file, size_t column) {
  std::vector<size_t> levels;
  for (const double level : column_of(file, column)) levels.push_back(static_cast<size_t>(level));
  return levels;
}

TEST(Anova, OfPeasInBlocksIsRs) {
  RTSWEEP_REFERENCE(reference, "anova_blocks_npk");
  const std::string file = reference["inputs"]["data_file"];
  const std::vector<Factor> factors = {{"block", levels_in(file, 0)},
                                       {"N", levels_in(file, 1)},
                                       {"P", levels_in(file, 2)},
                                       {"K", levels_in(file, 3)}};
  auto terms = main_effects_and_pairs(4, 0);
  terms.push_back({1, 2, 3});  // R's N*P*K; it is aliased with the blocks

  const auto anova = analyse_variance(column_of(file, 4), factors, terms);

  ASSERT_TRUE(anova);
  ASSERT_EQ(anova->rows.size(), 9u);
  EXPECT_EQ(anova->rows[7].term, "N:P:K");
  EXPECT_EQ(anova->rows[7].degrees, 0u);
  for (const Json& expected : reference["expected"]["table"]) {
    const auto row = std::find_if(anova->rows.begin(), anova->rows.end(),
                                  [&](const AnovaRow& r) { return r.term == expected["term"]; });
    ASSERT_NE(row, anova->rows.end()) << expected;
    EXPECT_EQ(row->degrees, expected["df"].get<size_t>());
    EXPECT_RELATIVE(row->sum_of_squares, expected["ss"].get<double>(), 1e-6);
    if (expected["F"].is_null()) continue;
    EXPECT_RELATIVE(row->f, expected["F"].get<double>(), 1e-6);
    EXPECT_RELATIVE(row->p_value, expected["p"].get<double>(), 1e-6);
  }
}

TEST(Anova, NeedsRunsForTheScatter) {
  const double responses[] = {1, 2};

  const auto anova =
      analyse_variance(responses, std::vector<Factor>{{"kernel", {0, 1}}}, std::vector<Term>{{0}});

  ASSERT_FALSE(anova);
  EXPECT_NE(anova.error().message().find("more blocks"), std::string::npos);
}

const std::vector<DesignFactor> kFactors = {{"bitness", {"32", "64"}},
                                            {"load", {"idle", "network", "build"}}};

// Three sessions of every cell once; a little scatter that no factor explains.
std::vector<DesignRun> matrix(double everywhere, double under_build) {
  std::vector<DesignRun> runs;
  const double scatter[] = {0.011, -0.007, 0.004, -0.012, 0.009, -0.003, 0.006, -0.010, 0.002};
  size_t next = 0;
  for (size_t session = 0; session < 3; ++session) {
    for (size_t bitness = 0; bitness < 2; ++bitness) {
      for (size_t load = 0; load < 3; ++load) {
        const double value = std::log(40) + 0.05 * static_cast<double>(session) +
                             0.3 * static_cast<double>(load) + (bitness == 1 ? everywhere : 0) +
                             (bitness == 1 && load == 2 ? under_build : 0) + scatter[next++ % 7];
        runs.push_back({"night " + std::to_string(session), {bitness, load}, value});
      }
    }
  }
  return runs;
}

const Finding* finding_of(const Effects& effects, const std::string& factor) {
  for (const Finding& finding : effects.findings) {
    if (finding.factor == factor) return &finding;
  }
  return nullptr;
}

TEST(Effects, SayUnderWhichLoadOnly) {
  const auto effects = find_effects(kFactors, matrix(0, std::log(1.31)));

  ASSERT_TRUE(effects) << effects.error().message();
  const Finding* bitness = finding_of(*effects, "bitness");
  ASSERT_NE(bitness, nullptr);
  EXPECT_EQ(bitness->extent, Extent::kOnlyUnder);
  EXPECT_EQ(bitness->other_level, "build");
  EXPECT_NEAR(bitness->ratio, 1.31, 0.03);
  EXPECT_TRUE(bitness->interval.contains(1.31));
  EXPECT_NE(bitness->sentence().find("slower than 32 under load build only"), std::string::npos)
      << bitness->sentence();
}

TEST(Effects, SayEverywhereWithoutAnInteraction) {
  const auto effects = find_effects(kFactors, matrix(std::log(1.2), 0));

  ASSERT_TRUE(effects) << effects.error().message();
  const Finding* bitness = finding_of(*effects, "bitness");
  ASSERT_NE(bitness, nullptr);
  EXPECT_EQ(bitness->extent, Extent::kEverywhere);
  EXPECT_NEAR(bitness->ratio, 1.2, 0.02);
}

TEST(Effects, SayNothingOfAFactorThatDoesNothing) {
  const auto effects = find_effects(kFactors, matrix(0, 0));

  ASSERT_TRUE(effects) << effects.error().message();
  EXPECT_EQ(finding_of(*effects, "bitness"), nullptr);
  EXPECT_NE(finding_of(*effects, "load"), nullptr);  // e^0.3 between loads
  EXPECT_EQ(effects->blocks, 3u);
  EXPECT_EQ(effects->residual_degrees, 10u);  // 18 - 1 - 2 - 1 - 2 - 2
}

TEST(Effects, RefuseWhenTooMuchIsLost) {
  auto runs = matrix(0, 0);
  runs.pop_back();

  const auto effects = find_effects(kFactors, runs);

  ASSERT_FALSE(effects);
  EXPECT_NE(effects.error().message().find("5 of 17"), std::string::npos)
      << effects.error().message();
}

TEST(Effects, NeedTwoBlocks) {
  auto runs = matrix(0, 0);
  runs.resize(6);

  EXPECT_FALSE(find_effects(kFactors, runs));
}

}  // namespace
}  // namespace rtsweep::statistics
