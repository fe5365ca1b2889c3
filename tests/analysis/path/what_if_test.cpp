// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/what_if.h"

#include <gmock/gmock.h>

#include <map>

namespace rtsweep {
namespace {

using ::testing::HasSubstr;

LatencyHistogram histogram(const std::map<int64_t, uint64_t>& counts) {
  LatencyHistogram result(Latency(1000));
  for (const auto& [us, times] : counts) result.add(Latency(us), times);
  return result;
}

// 1000 samples: p99 is the 990th, 60 us; ten are beyond it.
const WhatIf kWhatIf{.parameter = "randomize_kstack_offset=off",
                     .before = histogram({{40, 900}, {60, 90}, {140, 9}, {208, 1}}),
                     .after = histogram({{40, 900}, {60, 99}, {75, 1}})};

TEST(WhatIf, CountsTheTailBeyondWhatWasTheP99) {
  EXPECT_EQ(kWhatIf.tail_before(), 10u);
  EXPECT_EQ(kWhatIf.tail_after(), 1u);
}

// Of a sample past the histogram's end only the number is known. Of 1002 samples p99 is the 992nd,
// 140 us: beyond it are the one of 208 us and the two.
TEST(WhatIf, DoesNotInventWhatIsPastTheHistogram) {
  WhatIf what_if = kWhatIf;
  what_if.before.add_overflows(2);

  EXPECT_EQ(what_if.tail_before(), 3u);
  EXPECT_THAT(what_if_text(what_if), HasSubstr("the maximum goes from >1000 to 75 us"));
  EXPECT_TRUE(what_if_json(what_if).at("before").at("max").is_null());
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
