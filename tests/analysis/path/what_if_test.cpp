// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/what_if.h"

#include <gmock/gmock.h>

namespace rtsweep {
namespace {

using ::testing::HasSubstr;

// 1000 samples: p99 is the 990th, 60 us; ten are beyond it.
const WhatIf kWhatIf{.parameter = "randomize_kstack_offset=off",
                     .before = {{40, 900}, {60, 90}, {140, 9}, {208, 1}},
                     .after = {{40, 900}, {60, 99}, {75, 1}}};

TEST(WhatIf, CountsTheTailBeyondWhatWasTheP99) {
  EXPECT_EQ(latency_quantile(kWhatIf.before, 990'000), 60);
  EXPECT_EQ(kWhatIf.tail_before(), 10u);
  EXPECT_EQ(kWhatIf.tail_after(), 1u);
}

TEST(WhatIf, SaysHowMuchOfTheTailGoes) {
  const std::string text = what_if_text(kWhatIf);

  EXPECT_THAT(text,
              HasSubstr("what if randomize_kstack_offset=off: the maximum goes from 208 to 75 us"));
  EXPECT_THAT(text, HasSubstr("10 of 1000 samples were beyond 60 us (p99), with it 1 of 1000"));
}

TEST(WhatIf, HasBothDistributionsForPrograms) {
  const nlohmann::json j = what_if_json(kWhatIf);

  EXPECT_EQ(j.at("before").at("max"), 208);
  EXPECT_EQ(j.at("after").at("max"), 75);
  EXPECT_EQ(j.at("after").at("samples"), 1000);
}

}  // namespace
}  // namespace rtsweep
