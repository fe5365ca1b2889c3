// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/timeline_picture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "analysis/trace/explain.h"
#include "analysis/trace/explanation_json.h"
#include "analysis/trace/explanation_text.h"
#include "analysis/trace/trace_excerpt.h"
#include "analysis/trace/trace_text.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using ::testing::Le;
using ::testing::SizeIs;
using ::testing::StartsWith;

// cyclictest's timer fires at 200.000100 and it runs at 200.000308: hog, of higher
// priority, is there. Meanwhile CPU 1 has a softirq.
constexpr const char* kTrace = R"(# tracer: nop
          <idle>-0       [000] d..2.   200.000002: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=hog next_pid=55 next_prio=5
       hackbench-301     [001] d..2.   200.000050: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=hackbench next_pid=301 next_prio=120
             hog-55      [000] d.h3.   200.000100: local_timer_entry: vector=236
             hog-55      [000] d.h3.   200.000101: hrtimer_expire_entry: hrtimer=00000000deadbeef function=hrtimer_wakeup now=200000100000
             hog-55      [000] d.h4.   200.000103: sched_waking: comm=cyclictest pid=77 prio=9 target_cpu=000
             hog-55      [000] d.h3.   200.000105: local_timer_exit: vector=236
       hackbench-301     [001] ..s2.   200.000150: softirq_entry: vec=1 [action=TIMER]
       hackbench-301     [001] ..s2.   200.000170: softirq_exit: vec=1 [action=TIMER]
             hog-55      [000] d..2.   200.000308: sched_switch: prev_comm=hog prev_pid=55 prev_prio=5 prev_state=S ==> next_comm=cyclictest next_pid=77 next_prio=9
      cyclictest-77      [000] .....   200.000320: tracing_mark_write: hit latency threshold (220 > 100)
      cyclictest-77      [000] d..2.   200.000330: sched_switch: prev_comm=cyclictest prev_pid=77 prev_prio=9 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
       hackbench-301     [001] d..2.   200.000400: sched_switch: prev_comm=hackbench prev_pid=301 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
)";

Trace trace_of(const char* text) {
  auto traces = parse_trace(text, "trace.txt");
  EXPECT_THAT(traces, IsOk());
  return traces ? traces->front() : Trace();
}

TimelinePicture picture_of(const Trace& trace, const TimelinePictureOptions& options = {}) {
  const auto picture = timeline_picture(trace, explain(trace), options);
  EXPECT_TRUE(picture.has_value());
  return picture.value_or(TimelinePicture());
}

const TimelineBlock* find(const TimelinePicture& picture, int cpu, std::string_view name) {
  for (const TimelineRow& row : picture.rows) {
    if (row.cpu != cpu) continue;
    const auto at = std::ranges::find(row.blocks, name, &TimelineBlock::name);
    if (at != row.blocks.end()) return &*at;
  }
  return nullptr;
}

// Times from the latency's begin, 220 us before the mark: 200.000100.
TEST(TimelinePicture, HasTheBlocksOfEveryCpuFromTheExpiryOn) {
  const TimelinePicture picture = picture_of(trace_of(kTrace));

  EXPECT_EQ(picture.origin_ns, 200'000'100'000);
  EXPECT_EQ(picture.latency_ns, 220'000);
  EXPECT_EQ(picture.cpu, 0);
  ASSERT_THAT(picture.rows, SizeIs(2));
  const TimelineBlock* hog = find(picture, 0, "hog-55");
  ASSERT_NE(hog, nullptr);
  EXPECT_EQ(hog->end_ns, 208'000);
  EXPECT_TRUE(hog->cut_begin) << "it ran before the picture began";
  EXPECT_EQ(hog->priority, "RT priority 94");
  const TimelineBlock* timer = find(picture, 0, "local_timer");
  ASSERT_NE(timer, nullptr);
  EXPECT_EQ(timer->kind, BlockKind::kHardIrq);
  EXPECT_EQ(timer->begin_ns, 0);
  EXPECT_EQ(timer->end_ns, 5'000);
  const TimelineBlock* softirq = find(picture, 1, "TIMER");
  ASSERT_NE(softirq, nullptr);
  EXPECT_EQ(softirq->kind, BlockKind::kSoftirq);
  EXPECT_EQ(softirq->begin_ns, 50'000);
  EXPECT_EQ(softirq->end_ns, 70'000);
}

TEST(TimelinePicture, MarksTheThreadThatWasLate) {
  const TimelinePicture picture = picture_of(trace_of(kTrace));

  const TimelineBlock* late = find(picture, 0, "cyclictest-77");
  ASSERT_NE(late, nullptr);
  EXPECT_TRUE(late->victim);
  EXPECT_EQ(late->begin_ns, 208'000);
  EXPECT_EQ(late->end_ns, 230'000);
  EXPECT_FALSE(find(picture, 0, "hog-55")->victim);
}

TEST(TimelinePicture, HasTheSegmentsOfTheLatency) {
  const TimelinePicture picture = picture_of(trace_of(kTrace));

  ASSERT_FALSE(picture.segments.empty());
  EXPECT_EQ(picture.segments.front().begin_ns, 0);
  EXPECT_EQ(picture.segments.back().end_ns, picture.latency_ns);
  for (size_t i = 1; i < picture.segments.size(); ++i) {
    EXPECT_EQ(picture.segments[i].begin_ns, picture.segments[i - 1].end_ns);
  }
}

// Without room, the CPU of the latency stays and its time first of all.
TEST(TimelinePicture, KeepsWhatMattersWhenThereIsTooMuch) {
  std::string softirqs;
  for (int i = 0; i < 500; ++i) {
    char line[200];
    snprintf(
        line, sizeof line,
        "       hackbench-301     [001] ..s2.   200.000%06d: softirq_%s: vec=1 [action=TIMER]\n",
        171'000 + i * 200, i % 2 == 0 ? "entry" : "exit");
    softirqs += line;
  }
  std::string text = kTrace;
  text.insert(text.find("             hog-55      [000] d..2.   200.000308"), softirqs);
  const TimelinePicture picture = picture_of(trace_of(text.c_str()), {.most_blocks = 20});

  size_t blocks = 0;
  for (const TimelineRow& row : picture.rows) blocks += row.blocks.size();
  EXPECT_LE(blocks, 20u);
  EXPECT_GT(picture.left_out, 200u);
  EXPECT_NE(find(picture, 0, "hog-55"), nullptr);
  EXPECT_NE(find(picture, 0, "local_timer"), nullptr);
}

TEST(TimelinePicture, IsNotThereWithoutALatency) {
  const Trace trace = trace_of(kTrace);

  EXPECT_FALSE(timeline_picture(trace, Explanation()).has_value());
}

TEST(TimelinesJson, ReadsBackWhatItWrote) {
  const TimelinePicture picture = picture_of(trace_of(kTrace));

  const auto read = parse_timelines(timelines_json({picture, std::nullopt}));

  ASSERT_THAT(read, IsOk());
  ASSERT_THAT(*read, SizeIs(2));
  EXPECT_FALSE((*read)[1].has_value());
  const TimelinePicture& again = *(*read)[0];
  EXPECT_EQ(timelines_json({again}), timelines_json({picture}));
  EXPECT_EQ(again.headline, picture.headline);
  EXPECT_EQ(again.rows[0].blocks.size(), picture.rows[0].blocks.size());
}

TEST(TimelinesJson, RefusesWhatCannotBeDrawn) {
  for (
      const char* json :
      {"", "{", "[1]", R"([{"headline":"x"}])",
       R"([{"headline":"x","origin_ns":0,"begin_ns":5,"end_ns":5,"latency_ns":1,"cpu":0,"rows":[],"segments":[],"left_out":0}])",
       R"([{"headline":"x","origin_ns":0,"begin_ns":0,"end_ns":5,"latency_ns":1,"cpu":0,"rows":[{"cpu":0,"blocks":[[9,0,1,"a","",0]]}],"segments":[],"left_out":0}])"}) {
    EXPECT_THAT(parse_timelines(json), FailsWith(Errc::kBadData, "timelines: ")) << json;
  }
}

TEST(TraceExcerpt, FitsAMailAndCountsFromTheExpiry) {
  const Trace trace = trace_of(kTrace);

  const auto lines = trace_excerpt(trace, explain(trace));

  EXPECT_THAT(lines, Each(SizeIs(Le(72))));
  EXPECT_THAT(lines.front(), StartsWith("CPU"));
  EXPECT_THAT(lines, Contains(AllOf(HasSubstr("  0      3.0 "), HasSubstr("hog-55"),
                                    HasSubstr("waking: cyclictest-77 [9] CPU 0"))));
  EXPECT_THAT(lines, Contains(HasSubstr("switch: S ==> cyclictest-77 [9]")));
  EXPECT_THAT(lines, Contains(HasSubstr("hrtimer_expire_entry: hrtimer_wakeup")));
  EXPECT_THAT(lines, Each(::testing::Not(HasSubstr("softirq")))) << "of another CPU";
}

TEST(TraceExcerpt, LeavesOutTheMiddleAndSaysHowMuch) {
  const Trace trace = trace_of(kTrace);

  const auto lines = trace_excerpt(trace, explain(trace), {.most_lines = 4});

  EXPECT_THAT(lines, SizeIs(6));  // heading, two, what is left out, two
  EXPECT_THAT(lines[3], HasSubstr("[... "));
}

TEST(ExplanationsJson, ReadsBackWhatExplainPrints) {
  const Explanation one = explain(trace_of(kTrace));
  const std::vector<Explanation> all = {one};

  const auto read = parse_explanations(explanations_json(all).dump());

  ASSERT_THAT(read, IsOk());
  ASSERT_THAT(*read, SizeIs(1));
  EXPECT_EQ(explanations_json(*read).dump(), explanations_json(all).dump());
  EXPECT_THAT(parse_explanations("[{}]"), FailsWith(Errc::kBadData, "explanations: "));
}

}  // namespace
}  // namespace rtsweep
