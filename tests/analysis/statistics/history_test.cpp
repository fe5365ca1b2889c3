// SPDX-License-Identifier: GPL-2.0-or-later

#include <cmath>

#include "analysis/statistics/change_point.h"
#include "analysis/statistics/cusum.h"
#include "tests/analysis/statistics/reference.h"

namespace rtsweep::statistics {
namespace {

using rtsweep::testing::Json;
using rtsweep::testing::numbers;

SelfStartingCusum watched(const std::vector<double>& series, double allowance, double above) {
  SelfStartingCusum cusum(allowance, above);
  for (const double value : series) cusum.add(value);
  return cusum;
}

TEST(SelfStartingCusum, FindsTheFallOfTheNile) {
  RTSWEEP_REFERENCE(reference, "self_starting_cusum_nile");
  const auto series = numbers(reference["inputs"]["x"]);
  const double allowance = reference["inputs"]["k"];
  const Json expected = reference["expected"];

  const auto early = watched(series, allowance, reference["inputs"]["h"][0]);
  const auto late = watched(series, allowance, reference["inputs"]["h"][1]);

  for (size_t i = 0; i < expected["U_first10"].size(); ++i) {
    EXPECT_NEAR(early.scores()[i], expected["U_first10"][i].get<double>(), 1e-8);
  }
  EXPECT_EQ(early.alarm(), expected["alarm_index_h5"].get<size_t>());
  EXPECT_EQ(early.start(), expected["start_index_h5"].get<size_t>());
  EXPECT_EQ(late.alarm(), expected["alarm_index_h7_7"].get<size_t>());
  EXPECT_NEAR(early.largest_sum(), expected["S_max"].get<double>(), 1e-8);
}

TEST(SelfStartingCusum, IsNotUpsetByEqualNights) {
  const auto cusum = watched(std::vector<double>(30, 4.2), 0.5, 7.7);

  EXPECT_EQ(cusum.alarm(), std::nullopt);
  EXPECT_EQ(cusum.sum(), 0);
}

TEST(ChangePoint, OfTheNileIsThatOf1898) {
  RTSWEEP_REFERENCE(reference, "changepoint_nile");
  const auto series = numbers(reference["inputs"]["x"]);
  const Json expected = reference["expected"];

  const auto by_ranks = pettitt(series);
  const auto by_energy = energy_change(series, 10);

  EXPECT_EQ(by_ranks.index, expected["pettitt_index"].get<size_t>());
  EXPECT_EQ(by_ranks.k, expected["pettitt_K"].get<double>());
  EXPECT_NEAR(by_ranks.p_value, expected["pettitt_p_approx"].get<double>(), 1e-12);
  EXPECT_EQ(least_squares_change(series), expected["ls_index"].get<size_t>());
  EXPECT_EQ(by_energy.index, expected["energy_index"].get<size_t>());
  EXPECT_NEAR(by_energy.q, expected["energy_Q"].get<double>(), 1e-8);
}

// 0 0 0 9 9 9: the split after three leaves no squares.
TEST(ChangePoint, OfAStepIsTheStep) {
  const double step[] = {0, 0, 0, 9, 9, 9};

  EXPECT_EQ(pettitt(step).index, 3u);
  EXPECT_EQ(least_squares_change(step), 3u);
  EXPECT_EQ(energy_change(step, 2).index, 3u);
}

}  // namespace
}  // namespace rtsweep::statistics
