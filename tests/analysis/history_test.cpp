// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/history.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Nights with a typical worst interval of these us, the maximum twice as long.
std::vector<CellOfRun> nights(const std::vector<double>& typical_us) {
  std::vector<CellOfRun> cells;
  for (size_t i = 0; i < typical_us.size(); ++i) {
    const std::string night = std::to_string(100 + i);
    cells.push_back({.run = "night-" + night,
                     .started = "2026-03-01T" + night,
                     .cell = {{"kernel", "6.12-rt"}},
                     .duration_s = 3600,
                     .trials = 3,
                     .typical_worst = std::log(typical_us[i]),
                     .run_maximum = std::log(100.0),
                     .max_us = 100});
  }
  return cells;
}

// Twenty nights of 40 us, give or take 2 %, then ten that are half as long again.
std::vector<double> a_step() {
  std::vector<double> us;
  for (int i = 0; i < 30; ++i) us.push_back((i < 20 ? 40 : 60) * (i % 2 == 0 ? 1.02 : 0.98));
  return us;
}

TEST(History, FindsAStepWhereItWas) {
  const auto all = history_of(nights(a_step()));

  ASSERT_THAT(all, SizeIs(1));
  ASSERT_THAT(all[0].changes, SizeIs(1));
  const HistoryChange& change = all[0].changes[0];
  EXPECT_EQ(change.statistic, "typical worst interval");
  EXPECT_EQ(change.since, 20u);
  EXPECT_LE(change.noticed, 24u);
  EXPECT_NEAR(change.ratio, 1.5, 0.04);
  EXPECT_THAT(all[0].sentences()[0], HasSubstr("(run night-120, give or take one)"));
  EXPECT_THAT(all[0].sentences()[0], HasSubstr("% longer"));
}

TEST(History, FindsAnImprovement) {
  auto us = a_step();
  std::reverse(us.begin(), us.begin() + 20);
  for (double& value : us) value = 2400 / value;
  const auto all = history_of(nights(us));

  ASSERT_THAT(all[0].changes, SizeIs(1));
  EXPECT_NEAR(all[0].changes[0].ratio, 1 / 1.5, 0.04);
  EXPECT_THAT(all[0].sentences()[0], HasSubstr("% shorter"));
}

TEST(History, IsQuietWithoutAChange) {
  std::vector<double> us;
  for (int i = 0; i < 30; ++i) us.push_back(i % 2 == 0 ? 41 : 39);

  const auto all = history_of(nights(us));

  EXPECT_THAT(all[0].changes, IsEmpty());
  EXPECT_THAT(all[0].sentences(), ElementsAre("No change in 30 runs."));
}

TEST(History, KeepsWhatWasMeasuredOtherwiseApart) {
  auto cells = nights({40, 41, 42});
  cells[1].duration_s = 60;

  const auto all = history_of(cells);

  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(all[0].runs, SizeIs(2));
  EXPECT_THAT(all[0].sentences(), ElementsAre("2 runs: 5 are needed to tell a change."));
}

TEST(History, SortsByTime) {
  auto cells = nights({40, 41});
  std::swap(cells[0], cells[1]);

  EXPECT_EQ(history_of(cells)[0].runs[0].run, "night-100");
}

}  // namespace
}  // namespace rtsweep
