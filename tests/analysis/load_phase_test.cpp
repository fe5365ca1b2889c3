// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/load_phase.h"

#include <gmock/gmock.h>

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LoadPhases, LastFromTheirLineToTheNext) {
  EXPECT_THAT(parse_load_phases("12.34 compile lib\n15.00 clean\n", 16'500'000),
              ElementsAre(LoadPhase{"compile lib", 12'340'000, 15'000'000},
                          LoadPhase{"clean", 15'000'000, 16'500'000}));
}

TEST(LoadPhases, PassOverWhatIsNoPhase) {
  EXPECT_THAT(
      parse_load_phases("hello\n12.34\n-1.00 early\nnan x\n1e300 late\n2.00 a\n1", 3'000'000),
      ElementsAre(LoadPhase{"a", 2'000'000, 3'000'000}));
  EXPECT_THAT(parse_load_phases("", 1), IsEmpty());
}

}  // namespace
}  // namespace rtsweep
