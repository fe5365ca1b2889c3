// SPDX-License-Identifier: GPL-2.0-or-later

// Which latency of a trace is explained, and whether it can be.

#include <gmock/gmock.h>

#include "tests/analysis/trace/small_trace.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// What cyclictest said of it, without a mark in the trace.
constexpr const char* kWithoutMark = R"(
            bash-77      [001] d.h..   100.001301: local_timer_entry: vector=236
            bash-77      [001] d.h1.   100.001302: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001302000
            bash-77      [001] d.h2.   100.001303: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] d..2.   100.001308: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
)";

TEST(ExplainedLatency, EndsWhereTheMeasuringThreadReadTheClock) {
  // cyclictest said 315 us, and that it read the clock at 100.001315 (of the trace's clock).
  const ExplainOptions options{
      .known = KnownLatency{.latency_us = 315, .end_ns = 100'001'315'000, .pid = 1000}};
  const auto explanations =
      explain_text(text_of({kArmed, kSleepsIntoBash, kWithoutMark}), "trace.txt", options);

  ASSERT_THAT(explanations, testing::IsOk());
  const Explanation& explanation = explanations->front();
  EXPECT_EQ(explanation.latency_ns, 315'000);
  EXPECT_EQ(explanation.latency_of, "from programmed expiry to running");
  // Without the exit of the interrupt in the trace it goes on; the switch ends it.
  EXPECT_THAT(segments_of(explanation).back(), Pair("running", 7));
}

TEST(ExplainedLatency, IsNotProvableWhenEventsWereLostInThatTime) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, R"(
CPU:1 [LOST 42 EVENTS]
            bash-77      [001] d.h..   100.001201: local_timer_entry: vector=236
            bash-77      [001] d.h1.   100.001202: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001202000
            bash-77      [001] d.h2.   100.001203: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] d..2.   100.001208: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001215: tracing_mark_write: hit latency threshold (210 > 50)
)"}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kNotProvable);
  EXPECT_THAT(explanation.notes, ::testing::Contains(HasSubstr("lost in that time (42)")));
  EXPECT_EQ(segments_of(explanation).empty(), false);
}

TEST(ExplainedLatency, LostEventsOfAnotherCpuDoNotMatter) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, kTimerOnTimeInBash, R"(
CPU:3 [LOST 42 EVENTS]
            bash-77      [001] .Ns1.   100.001010: softirq_entry: vec=3 [action=NET_RX]
            bash-77      [001] .Ns1.   100.001410: softirq_exit: vec=3 [action=NET_RX]
            bash-77      [001] d..2.   100.001413: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001420: tracing_mark_write: hit latency threshold (415 > 50)
)"}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
}

TEST(ExplainedLatency, IsNotProvableWhenASwitchIsMissing) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, kTimerOnTimeInBash, R"(
           other-88      [001] d..2.   100.001413: sched_switch: prev_comm=other prev_pid=88 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001420: tracing_mark_write: hit latency threshold (415 > 50)
)"}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kNotProvable);
  EXPECT_THAT(explanation.notes,
              ::testing::Contains(HasSubstr("sched_switch from other-88 (nice 0), while bash-77")));
}

TEST(ExplainedLatency, WithoutItsTimerTheLatencyEndsAtTheMark) {
  const auto explanation = explained(R"(
            bash-77      [001] .....   100.000500: user_event: before
            bash-77      [001] d.h2.   100.001005: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] d..2.   100.001308: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001315: tracing_mark_write: hit latency threshold (312 > 50)
)");

  EXPECT_EQ(explanation.latency_ns, 312'000);
  EXPECT_THAT(explanation.notes, ::testing::Contains(HasSubstr("its timer is not in the trace")));
  // Only scheduler events: an interrupt may have had that time as well.
  EXPECT_EQ(explanation.cause, SegmentKind::kPreemptOff);
  EXPECT_EQ(explanation.conclusion, Conclusion::kUnknown);
  segments_of(explanation);
}

TEST(ExplainedLatency, TakesTheLongestWaitOfARealTimeThreadWhereNothingIsMarked) {
  const auto explanation = explained(R"(
          <idle>-0       [000] d..2.   100.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=hog next_pid=55 next_prio=9
             hog-55      [000] d..2.   100.000100: sched_waking: comm=slow pid=7 prio=120 target_cpu=000
             hog-55      [000] d..2.   100.000200: sched_waking: comm=audio pid=8 prio=19 target_cpu=000
             hog-55      [000] d..2.   100.000900: sched_switch: prev_comm=hog prev_pid=55 prev_prio=9 prev_state=S ==> next_comm=audio next_pid=8 next_prio=19
           audio-8       [000] d..2.   100.009000: sched_switch: prev_comm=audio prev_pid=8 prev_prio=19 prev_state=S ==> next_comm=slow next_pid=7 next_prio=120
)");

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.latency_ns, 700'000);
  EXPECT_THAT(explanation.headline, HasSubstr("audio-8 (RT priority 80)"));
  EXPECT_EQ(explanation.cause_who, "hog-55 (RT priority 90)");
}

TEST(ExplainedLatency, SplitsTimerlatsLatencyAtItsInterrupt) {
  const auto explanation = explained(R"(
             cat-50      [002] .....   200.000000: user_event: before
             cat-50      [002] d.h1.   200.000120: #7     context    irq timer_latency     20000 ns
             cat-50      [002] d.h1.   200.000124: irq_noise: local_timer:236 start 200.000119000 duration 5000 ns
             cat-50      [002] d..2.   200.000180: sched_switch: prev_comm=cat prev_pid=50 prev_prio=120 prev_state=R+ ==> next_comm=timerlat/2 next_pid=900 next_prio=4
      timerlat/2-900     [002] .....   200.000185: #7     context thread timer_latency     85000 ns
)");

  EXPECT_EQ(explanation.latency_ns, 85'000);
  // Expiry at 100: interrupt at 119, its line at 120, its end at 124, running at 180.
  EXPECT_THAT(segments_of(explanation),
              ElementsAre(Pair("late_timer", 19), Pair("timer_interrupt", 1), Pair("hard_irq", 4),
                          Pair("preempt_off", 56), Pair("running", 5)));
  EXPECT_THAT(explanation.cause_who, HasSubstr("cat-50"));
}

TEST(ExplainedLatency, ReadsTraceCmdsFormOfTheSchedulersEvents) {
  const auto explanation = explained(R"(
cpus=2
             cat-50    [000]   200.000000: sched_switch:         swapper/0:0 [120] R ==> hog:55 [9]
             hog-55    [000]   200.000100: sched_waking:         comm=audio pid=8 prio=19 target_cpu=000
             hog-55    [000]   200.000101: sched_wakeup:         audio:8 [19] CPU:000
             hog-55    [000]   200.000600: sched_switch:         hog:55 [9] S ==> audio:8 [19]
)");

  EXPECT_EQ(explanation.latency_ns, 500'000);
  EXPECT_EQ(explanation.cause_who, "hog-55 (RT priority 90)");
}

TEST(ExplainedLatency, IsNotUsableWithoutSchedulerEvents) {
  const auto explanation = explained(R"(
          <idle>-0     [003]  7615.709442: bprint:               0xc044504c: cpu_load: cpu: 3
          <idle>-0     [005]  7615.710268: cdev_update:          type=thermal-cpufreq-0 target=0
)");

  EXPECT_EQ(explanation.conclusion, Conclusion::kUnknown);
  EXPECT_FALSE(explanation.latency_ns.has_value());
  EXPECT_THAT(explanation.headline, HasSubstr("Not usable for the analysis of a wake-up"));
  EXPECT_THAT(explanation.next, ::testing::Contains(HasSubstr("-e sched -e irq")));
}

}  // namespace
}  // namespace rtsweep
