// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/expected_time.h"

#include <gmock/gmock.h>

namespace rtsweep {
namespace {

using namespace std::chrono_literals;  // NOLINT: for 10s

std::vector<PlannedTrial> local_trials(int count) {
  return std::vector<PlannedTrial>(static_cast<size_t>(count), {.cell = {{"load", "idle"}}});
}

TEST(ExpectedTime, OfTrialsOnThisMachineIsAtLeastTheirDurations) {
  const Plan plan{.target = "local", .duration_s = 60};

  EXPECT_GE(expected_time(plan, local_trials(3), 1), 180s);
  EXPECT_LT(expected_time(plan, local_trials(3), 1), 240s);
}

// Trials of one length t: 5 of them on 2 jobs end after 3 t.
TEST(ExpectedTime, SharesTrialsAmongJobs) {
  const Plan plan{.target = "local", .duration_s = 60};
  const auto one = expected_trial_time(plan, {{"load", "idle"}});

  EXPECT_EQ(expected_time(plan, local_trials(5), 2), 3 * one);
  EXPECT_EQ(expected_time(plan, {}, 2), 0s);
}

// Wall times of a quickstart on two cores that had other work too: 5 s of virtual time,
// arm64 6.1-rt idle 3.7 s, hackbench 12 to 14 s, kernel-build 28 s; armhf 6.1-rt
// hackbench 21 s; armhf 6.12-rt (two runs) hackbench 37 s. Half to twice of them is what
// the header promises.
TEST(ExpectedTime, OfVirtualTimeIsNearWhatWasMeasured) {
  const Plan plan{.target = "vm", .virtual_clock = true, .duration_s = 5};
  const auto expected = [&plan](const char* kernel, const char* arch, const char* load) {
    return static_cast<double>(
        expected_trial_time(plan, {{"kernel", kernel}, {"arch", arch}, {"load", load}}).count());
  };

  EXPECT_NEAR(expected("6.1-rt", "arm64", "idle"), 3.7, 1.9);
  EXPECT_NEAR(expected("6.1-rt", "arm64", "hackbench"), 13, 6.5);
  EXPECT_NEAR(expected("6.1-rt", "arm64", "kernel-build"), 28, 14);
  EXPECT_NEAR(expected("6.1-rt", "armhf", "hackbench"), 21, 10.5);
  EXPECT_NEAR(expected("6.12-rt", "armhf", "hackbench"), 37, 18.5);
}

// An idle guest's seconds are skipped; the busiest of joined loads decides.
TEST(ExpectedTime, OfVirtualTimeDependsOnTheLoad) {
  const Plan plan{.target = "vm", .virtual_clock = true, .duration_s = 100};
  const Cell idle{{"arch", "arm64"}, {"load", "idle"}};
  const Cell busy{{"arch", "arm64"}, {"load", "hackbench"}};
  const Cell both{{"arch", "arm64"}, {"load", "hackbench+cpu"}};

  EXPECT_LT(expected_trial_time(plan, idle), 40s);
  EXPECT_GT(expected_trial_time(plan, busy), 100s);
  EXPECT_LT(expected_trial_time(plan, both), expected_trial_time(plan, busy) + 10s);
}

// There a result counts only when two runs agree (docs/virtual-time.md).
TEST(ExpectedTime, IsTwiceForNew32BitArmKernelsInVirtualTime) {
  Plan plan{.target = "vm", .virtual_clock = true};
  const Cell before{{"kernel", "6.1-rt"}, {"arch", "armhf"}};
  const Cell after{{"kernel", "6.12-rt"}, {"arch", "armhf"}};
  EXPECT_GT(expected_trial_time(plan, after), expected_trial_time(plan, before) * 3 / 2);

  plan.virtual_clock = false;
  EXPECT_EQ(expected_trial_time(plan, after), expected_trial_time(plan, before));
}

TEST(ParallelJobs, AreOnePerCpuInVirtualTimeAndOneOtherwise) {
  Plan plan{.target = "vm", .virtual_clock = true};
  EXPECT_EQ(parallel_jobs(plan, 4), 4);

  plan.virtual_clock = false;
  EXPECT_EQ(parallel_jobs(plan, 4), 1);
  plan.vm_jobs = 3;
  EXPECT_EQ(parallel_jobs(plan, 4), 3);
  plan.target = "local";
  EXPECT_EQ(parallel_jobs(plan, 4), 1);
}

}  // namespace
}  // namespace rtsweep
