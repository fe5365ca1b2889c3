// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/simulation/error_rates.h"

#include <gmock/gmock.h>

namespace rtsweep::simulation {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// 2,016 cells: a nominal 5 % comes out within 3.5 to 6.5 % with three standard errors. Power as in
// the report "Statistics for a PREEMPT_RT latency suite", 4.2 (77 % with 5 pairs, session scatter
// 10 %).
TEST(CompareRates, AreNearTheirNominalOnes) {
  const CompareRates rates = compare_rates_of({.model = "mixture", .pairs = 5, .matrices = 42});

  EXPECT_EQ(rates.cells, 2016u);
  EXPECT_NEAR(rates.false_alarm, 0.05, 0.015);
  EXPECT_NEAR(rates.power_20, 0.767, 0.04);
  EXPECT_GT(rates.power_50, 0.99);
}

TEST(QuantileCoverage, AgreesWithThePublishedOne) {
  for (const Coverage& row : quantile_coverage(400)) {
    EXPECT_TRUE(row.agrees()) << row.what << " (" << row.model << "): " << row.coverage;
  }
}

ErrorRates within_bounds() {
  const auto compare = [](size_t pairs, double power) {
    return CompareRates{
        .pairs = pairs, .false_alarm = 0.05, .power_20 = power, .matrix_alarm = 0.05};
  };
  return {.compare = {compare(3, 0.51), compare(5, 0.71), compare(10, 0.93)}};
}

TEST(ErrorRates, SayWhichBoundWasMissed) {
  EXPECT_THAT(within_bounds().missed(), IsEmpty());

  ErrorRates rates = within_bounds();
  rates.compare[0].false_alarm = 0.061;
  rates.compare[1].power_20 = 0.69;
  rates.compare[2].matrix_alarm = 0.07;
  rates.quantiles = {{.what = "share",
                      .model = "bursts",
                      .coverage = 0.80,
                      .replications = 4000,
                      .published = 0.94,
                      .published_replications = 4000}};
  rates.refused = {{.what = "drift", .refused = 0.5, .at_least = 0.98}};

  const auto missed = rates.missed();
  EXPECT_EQ(missed.size(), 5u);
  EXPECT_THAT(missed, Contains("compare with 3 pairs: false alarms 6.1 %, wanted <= 6.0 %"));
  EXPECT_THAT(missed, Contains("compare with 5 pairs: found of +20 % 69.0 %, wanted >= 70.0 %"));
  EXPECT_THAT(missed, Contains(HasSubstr("matrices with a false alarm 7.0 %")));
  EXPECT_THAT(missed, Contains("share (bursts): covers 80.0 %, published 94.0 %"));
  EXPECT_THAT(missed, Contains("drift: refused 50.0 %, wanted >= 98.0 %"));
}

}  // namespace
}  // namespace rtsweep::simulation
