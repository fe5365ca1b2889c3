// SPDX-License-Identifier: GPL-2.0-or-later

// The small texts inside a plan: durations, lists of numbers, memory policies.

#include <gmock/gmock.h>

#include "runner/plan/duration.h"
#include "runner/plan/index_list.h"
#include "runner/plan/memory_policy.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::IsOk;
using testing::IsOkAnd;
using namespace std::chrono_literals;  // NOLINT: for 10s

TEST(ParseDuration, ReadsHoursMinutesAndSeconds) {
  EXPECT_THAT(parse_duration("10s"), IsOkAnd(10s));
  EXPECT_THAT(parse_duration("5m"), IsOkAnd(300s));
  EXPECT_THAT(parse_duration("2h"), IsOkAnd(7200s));
  EXPECT_THAT(parse_duration("1h30m"), IsOkAnd(5400s));
  EXPECT_THAT(parse_duration("1h1s"), IsOkAnd(3601s));
  EXPECT_THAT(parse_duration("90m"), IsOkAnd(5400s));
}

TEST(ParseDuration, RefusesWhatIsNone) {
  for (const char* text : {"", "10", "s", "-1s", "1.5h", "10 s", "1m1h", "1s1s", "10d", "10ms",
                           "99999999999999999999s", "9223372036854775807h", "8785h"}) {
    EXPECT_THAT(parse_duration(text), FailsWith(Errc::kInvalidPlan, "a duration is written"))
        << text;
  }
}

TEST(DurationText, IsReadBackTheSame) {
  EXPECT_EQ(duration_text(0s), "0s");
  EXPECT_EQ(duration_text(59s), "59s");
  EXPECT_EQ(duration_text(5400s), "1h30m");
  EXPECT_EQ(duration_text(3601s), "1h1s");
}

TEST(ParseIndexList, GivesEachNumberOnceInOrder) {
  EXPECT_THAT(parse_index_list("3,0-1,1", 7), IsOkAnd(ElementsAre(0, 1, 3)));
}

TEST(ParseIndexList, RefusesWhatIsNoListOrGoesTooHigh) {
  for (const char* text : {"", " ", "a", "1-", "-1", "2-1", "1,", "0 1", "0-8", "0-4294967295"}) {
    EXPECT_THAT(parse_index_list(text, 7), FailsWith(Errc::kInvalidPlan, "from 0 to 7")) << text;
  }
}

TEST(ParseMemoryPolicy, ReadsWhatNumactlCanDo) {
  ASSERT_THAT(parse_memory_policy("bind:0-1"), IsOk());
  EXPECT_EQ(parse_memory_policy("bind:0-1")->mode, MemoryPolicy::Mode::kBind);
  EXPECT_THAT(parse_memory_policy("bind:0-1")->nodes, ElementsAre(0, 1));
  EXPECT_EQ(parse_memory_policy("default")->mode, MemoryPolicy::Mode::kDefault);
  EXPECT_EQ(parse_memory_policy("local")->mode, MemoryPolicy::Mode::kLocal);
  EXPECT_EQ(parse_memory_policy("preferred:1")->mode, MemoryPolicy::Mode::kPreferred);
  EXPECT_TRUE(parse_memory_policy("interleave:all")->all_nodes);
}

TEST(ParseMemoryPolicy, RefusesWhatNumactlCannot) {
  EXPECT_THAT(parse_memory_policy("bind"), FailsWith(Errc::kInvalidPlan, "needs its nodes"));
  EXPECT_THAT(parse_memory_policy("default:0"), FailsWith(Errc::kInvalidPlan, "takes no nodes"));
  EXPECT_THAT(parse_memory_policy("preferred:0-1"),
              FailsWith(Errc::kInvalidPlan, "takes one node"));
  EXPECT_THAT(parse_memory_policy("bind:x"), FailsWith(Errc::kInvalidPlan, "\"x\" is no list"));
  EXPECT_THAT(parse_memory_policy(""), FailsWith(Errc::kInvalidPlan, "unknown memory policy"));
}

}  // namespace
}  // namespace rtsweep
