// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/cyclictest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/base/text.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOkAnd;

TEST(Cyclictest, IsPinnedToEachCpuWithMemoryLockedAndOneIntervalForAll) {
  const ProbeSpec probe{.priority = 90, .interval_us = 997, .duration_s = 60, .histogram_us = 400};

  EXPECT_EQ(join(cyclictest_arguments(probe, {0, 2, 3}, "/run/ct.json"), " "),
            "cyclictest --mlockall --threads=3 --affinity=0,2,3 --policy=fifo --priority=90 "
            "--interval=997 --distance=0 --duration=60s --histogram=400 --quiet "
            "--json=/run/ct.json");
}

TEST(Numactl, SaysAPolicyTheWayItsManualDoes) {
  EXPECT_THAT(numactl_prefix("default"), IsOkAnd(IsEmpty()));
  EXPECT_THAT(numactl_prefix("bind:0"), IsOkAnd(ElementsAre("numactl", "--membind=0")));
  EXPECT_THAT(numactl_prefix("interleave:all"),
              IsOkAnd(ElementsAre("numactl", "--interleave=all")));
  EXPECT_THAT(numactl_prefix("local"), IsOkAnd(ElementsAre("numactl", "--localalloc")));
  EXPECT_THAT(numactl_prefix("spread:1"), FailsWith(Errc::kInvalidPlan, "spread:1"));
}

}  // namespace
}  // namespace rtsweep
