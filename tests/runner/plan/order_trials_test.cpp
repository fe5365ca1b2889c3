// SPDX-License-Identifier: GPL-2.0-or-later

#include <gmock/gmock.h>

#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "runner/base/text.h"
#include "runner/plan/plan.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

Plan two_by_three(int repetitions = 1) {
  return {.seed = 1,
          .repetitions = repetitions,
          .factors = {{"kernel", {"6.1-rt", "6.12-rt"}}, {"load", {"idle", "cpu", "hackbench"}}}};
}

std::vector<std::string> loads_of(const std::vector<PlannedTrial>& trials) {
  std::vector<std::string> loads;
  for (const PlannedTrial& trial : trials) loads.push_back(trial.cell.at("load"));
  return loads;
}

TEST(OrderTrials, MeasuresEveryCellOnceInEveryBlock) {
  const auto trials = order_trials(two_by_three(3));

  ASSERT_THAT(trials, SizeIs(18));
  for (int block = 0; block < 3; ++block) {
    std::set<Cell> cells;
    for (int i = 0; i < 6; ++i) {
      const PlannedTrial& trial = trials[static_cast<size_t>(block * 6 + i)];
      EXPECT_EQ(trial.id, block * 6 + i + 1);
      EXPECT_EQ(trial.repetition, block + 1);
      cells.insert(trial.cell);
    }
    EXPECT_THAT(cells, SizeIs(6));
  }
}

TEST(OrderTrials, LeavesOutWhatMatchesAllLevelsOfARule) {
  Plan plan = two_by_three();
  plan.exclude = {{{"kernel", "6.1-rt"}, {"load", "cpu"}}, {{"load", "idle"}}};

  std::set<Cell> cells;
  for (const PlannedTrial& trial : order_trials(plan)) cells.insert(trial.cell);

  EXPECT_THAT(cells, ElementsAre(Cell{{"kernel", "6.1-rt"}, {"load", "hackbench"}},
                                 Cell{{"kernel", "6.12-rt"}, {"load", "cpu"}},
                                 Cell{{"kernel", "6.12-rt"}, {"load", "hackbench"}}));
}

// The C++ standard fixes mt19937_64: its 10,000th number from the default seed 5489 is
// 9981545732273789042 ([rand.predef]). Everything else here is integer arithmetic.
TEST(OrderTrials, StandsOnAGeneratorThatTheStandardFixes) {
  std::mt19937_64 random;
  random.discard(9999);

  EXPECT_EQ(random(), 9981545732273789042u);
}

// By hand: three cells idle, cpu, hackbench; Fisher and Yates takes draw % 3 for the
// last place, then draw % 2 for the middle one. The first two numbers of mt19937_64
// with seed 1 are 2469588189546311528 and 2516265689700432462 (numpy's MT19937 of 64
// bits and the reference program agree): % 3 is 2 (hackbench stays last), % 2 is 0
// (cpu and idle change places).
TEST(OrderTrials, ShufflesAsOneCanDoByHand) {
  const Plan plan{.seed = 1, .factors = {{"load", {"idle", "cpu", "hackbench"}}}};

  EXPECT_THAT(loads_of(order_trials(plan)), ElementsAre("cpu", "idle", "hackbench"));
}

TEST(OrderTrials, ChangesWithTheSeedOnly) {
  Plan plan = two_by_three(5);
  const auto loads = loads_of(order_trials(plan));

  EXPECT_EQ(loads_of(order_trials(plan)), loads);
  plan.seed = 2;
  EXPECT_NE(loads_of(order_trials(plan)), loads);
}

TEST(OrderTrials, KeepTheOrderOfEarlierBlocksWhenRepetitionsAreAdded) {
  const auto few = loads_of(order_trials(two_by_three(2)));
  auto many = loads_of(order_trials(two_by_three(4)));

  many.resize(few.size());
  EXPECT_EQ(many, few);
}

TEST(OrderTrials, GiveAllCellsOfABlockTheSameSeedAndEachBlockAnother) {
  const auto trials = order_trials(two_by_three(2));

  std::set<uint64_t> first;
  std::set<uint64_t> second;
  for (const PlannedTrial& trial : trials) {
    (trial.repetition == 1 ? first : second).insert(trial.seed);
  }
  EXPECT_THAT(first, SizeIs(1));
  EXPECT_THAT(second, SizeIs(1));
  EXPECT_NE(*first.begin(), *second.begin());
}

TEST(OrderTrials, GiveACellTheSameSeedsWhateverElseThePlanVaries) {
  Plan wide = two_by_three(2);
  wide.factors.push_back({"cmdline", {"", "nohz=off"}});

  EXPECT_EQ(order_trials(wide).back().seed, order_trials(two_by_three(2)).back().seed);
}

TEST(OrderTrials, GivePlansOfNeighbouringSeedsNoGuestSeedInCommon) {
  Plan plan = two_by_three(100);
  std::set<uint64_t> seeds;
  for (plan.seed = 1; plan.seed <= 3; ++plan.seed) {
    for (const PlannedTrial& trial : order_trials(plan)) seeds.insert(trial.seed);
  }

  EXPECT_THAT(seeds, SizeIs(300));
}

// Runs are compared across versions of this program by their seeds: the order of a
// plan must never change.
TEST(OrderTrials, AreInTheOrderThatIsPinned) {
  std::ifstream golden(RTSWEEP_SOURCE_DIR "/tests/golden/plan/order.txt");
  ASSERT_TRUE(golden.is_open());
  const std::string expected{std::istreambuf_iterator<char>(golden), {}};

  std::ostringstream order;
  for (const PlannedTrial& trial : order_trials(two_by_three(2))) {
    order << trial.id << ' ' << trial.repetition << ' ' << trial.seed << ' '
          << trial.cell.at("kernel") << ' ' << trial.cell.at("load") << '\n';
  }

  EXPECT_EQ(order.str(), expected);
}

}  // namespace
}  // namespace rtsweep
