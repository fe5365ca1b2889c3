// SPDX-License-Identifier: GPL-2.0-or-later

// What the time from the waking to running was spent on.

#include <gmock/gmock.h>

#include "tests/analysis/trace/small_trace.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(LateThread, NamesTheFunctionWithPreemptionOffByTheStackOfTheSwitch) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, kTimerOnTimeInBash, R"(
            bash-77      [001] d..2.   100.001512: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
            bash-77      [001] d..2.   100.001512: <stack trace>
 => trace_event_raw_event_sched_switch
 => __traceiter_sched_switch
 => __schedule
 => preempt_schedule_common
 => preempt_schedule_thunk
 => do_nasty [nasty]
 => nasty_ioctl [nasty]
      cyclictest-1000    [001] .....   100.001520: tracing_mark_write: hit latency threshold (514 > 50)
)"}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.cause, SegmentKind::kPreemptOff);
  EXPECT_EQ(explanation.cause_who, "bash-77 (nice 0) in do_nasty [nasty] <- nasty_ioctl [nasty]");
  EXPECT_THAT(segments_of(explanation),
              ElementsAre(Pair("late_timer", 3), Pair("timer_interrupt", 2), Pair("hard_irq", 4),
                          Pair("preempt_off", 503), Pair("running", 2)));
}

TEST(LateThread, TakesAStormOfSoftirqsAsOneCause) {
  // NET_RX 150, TIMER 130 and RCU 120 us in an interrupt's thread of higher priority, which
  // takes 160 us itself: 400 to 160, though no single softirq is the largest.
  const auto explanation = explained(text_of({kArmed, R"(
      cyclictest-1000    [001] d..2.   100.000005: sched_switch: prev_comm=cyclictest prev_pid=1000 prev_prio=4 prev_state=S ==> next_comm=irq/24-eth0 next_pid=60 next_prio=3
     irq/24-eth0-60      [001] d.h..   100.001003: local_timer_entry: vector=236
     irq/24-eth0-60      [001] d.h1.   100.001004: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001004000
     irq/24-eth0-60      [001] d.h2.   100.001005: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
     irq/24-eth0-60      [001] d.h1.   100.001008: hrtimer_expire_exit: hrtimer=00000000aa
     irq/24-eth0-60      [001] d.h..   100.001010: local_timer_exit: vector=236
     irq/24-eth0-60      [001] ..s1.   100.001170: softirq_entry: vec=3 [action=NET_RX]
     irq/24-eth0-60      [001] ..s1.   100.001320: softirq_exit: vec=3 [action=NET_RX]
     irq/24-eth0-60      [001] ..s1.   100.001320: softirq_entry: vec=1 [action=TIMER]
     irq/24-eth0-60      [001] ..s1.   100.001450: softirq_exit: vec=1 [action=TIMER]
     irq/24-eth0-60      [001] ..s1.   100.001450: softirq_entry: vec=9 [action=RCU]
     irq/24-eth0-60      [001] ..s1.   100.001570: softirq_exit: vec=9 [action=RCU]
     irq/24-eth0-60      [001] d..2.   100.001570: sched_switch: prev_comm=irq/24-eth0 prev_pid=60 prev_prio=3 prev_state=S ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001580: tracing_mark_write: hit latency threshold (575 > 50)
)"}));

  EXPECT_EQ(explanation.cause, SegmentKind::kSoftirq);
  EXPECT_EQ(explanation.cause_who, "NET_RX");
  EXPECT_THAT(segments_of(explanation),
              ElementsAre(Pair("late_timer", 3), Pair("timer_interrupt", 2), Pair("hard_irq", 5),
                          Pair("higher_priority", 160), Pair("softirq", 150), Pair("softirq", 130),
                          Pair("softirq", 120), Pair("running", 5)));
}

TEST(LateThread, NamesTheSoftirqThatRanBeforeTheThread) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, kTimerOnTimeInBash, R"(
            bash-77      [001] .Ns1.   100.001010: softirq_entry: vec=3 [action=NET_RX]
            bash-77      [001] .Ns1.   100.001410: softirq_exit: vec=3 [action=NET_RX]
            bash-77      [001] d..2.   100.001413: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001420: tracing_mark_write: hit latency threshold (415 > 50)
)"}));

  EXPECT_EQ(explanation.cause, SegmentKind::kSoftirq);
  EXPECT_EQ(explanation.cause_who, "NET_RX");
  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_THAT(segments_of(explanation),
              ElementsAre(Pair("late_timer", 3), Pair("timer_interrupt", 2), Pair("hard_irq", 4),
                          Pair("preempt_off", 1), Pair("softirq", 400), Pair("switch", 3),
                          Pair("running", 2)));
}

TEST(LateThread, NamesTheThreadAndTheFunctionThatHadPreemptionOff) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, R"(
            bash-77      [001] ....1   100.000900: preempt_disable: caller=_raw_spin_lock+0x13/0x40 parent=copy_page_range+0x200/0x900
)",
                                              kTimerOnTimeInBash, R"(
            bash-77      [001] .N..1   100.001509: preempt_enable: caller=_raw_spin_unlock+0x13/0x40 parent=copy_page_range+0x600/0x900
            bash-77      [001] d..2.   100.001512: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001520: tracing_mark_write: hit latency threshold (514 > 50)
)"}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.cause, SegmentKind::kPreemptOff);
  EXPECT_EQ(explanation.cause_who, "bash-77 (nice 0) in _raw_spin_lock <- copy_page_range");
  EXPECT_THAT(segments_of(explanation),
              ElementsAre(Pair("late_timer", 3), Pair("timer_interrupt", 2), Pair("hard_irq", 4),
                          Pair("preempt_off", 500), Pair("switch", 3), Pair("running", 2)));
}

TEST(LateThread, NamesTheThreadOfHigherPriority) {
  const auto explanation = explained(text_of({kArmed, R"(
      cyclictest-1000    [001] d..2.   100.000005: sched_switch: prev_comm=cyclictest prev_pid=1000 prev_prio=4 prev_state=S ==> next_comm=hog next_pid=55 next_prio=0
             hog-55      [001] d.h..   100.001003: local_timer_entry: vector=236
             hog-55      [001] d.h1.   100.001004: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001004000
             hog-55      [001] d.h2.   100.001005: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
             hog-55      [001] d.h1.   100.001008: hrtimer_expire_exit: hrtimer=00000000aa
             hog-55      [001] d.h..   100.001009: local_timer_exit: vector=236
             hog-55      [001] d..2.   100.003000: sched_switch: prev_comm=hog prev_pid=55 prev_prio=0 prev_state=S ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.003010: tracing_mark_write: hit latency threshold (2003 > 50)
)"}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.cause, SegmentKind::kHigherPriority);
  EXPECT_EQ(explanation.cause_who, "hog-55 (RT priority 99)");
  // 3000 - 1009
  EXPECT_THAT(segments_of(explanation),
              ElementsAre(Pair("late_timer", 3), Pair("timer_interrupt", 2), Pair("hard_irq", 4),
                          Pair("higher_priority", 1991), Pair("running", 3)));
}

TEST(LateThread, SeesTheMigrationToAnotherCpu) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, kTimerOnTimeInBash, R"(
            bash-77      [001] d..3.   100.001020: sched_migrate_task: comm=cyclictest pid=1000 prio=4 orig_cpu=1 dest_cpu=2
          <idle>-0       [002] d..2.   100.001180: sched_switch: prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [002] .....   100.001190: tracing_mark_write: hit latency threshold (183 > 50)
)"}));

  EXPECT_EQ(explanation.cause, SegmentKind::kMigration);
  EXPECT_EQ(explanation.cause_who, "CPU 1 to CPU 2");
  EXPECT_THAT(segments_of(explanation),
              ElementsAre(Pair("late_timer", 3), Pair("timer_interrupt", 2), Pair("hard_irq", 4),
                          Pair("preempt_off", 11), Pair("migration", 160), Pair("running", 3)));
}

TEST(LateThread, NamesTheOwnerOfTheLockThatTheThreadWaitedFor) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, kTimerOnTimeInBash, R"(
            bash-77      [001] d..2.   100.001012: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] d..2.   100.001015: sched_pi_setprio: comm=bash pid=77 oldprio=120 newprio=4
      cyclictest-1000    [001] d..2.   100.001016: sched_switch: prev_comm=cyclictest prev_pid=1000 prev_prio=4 prev_state=D ==> next_comm=bash next_pid=77 next_prio=4
            bash-77      [001] d..2.   100.001700: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] d..2.   100.001704: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001712: tracing_mark_write: hit latency threshold (707 > 50)
)"}));

  EXPECT_EQ(explanation.cause, SegmentKind::kLock);
  EXPECT_THAT(explanation.cause_who, HasSubstr("bash-77"));
  EXPECT_THAT(explanation.notes,
              ::testing::Contains(HasSubstr("bash-77 was boosted from nice 0 to RT priority 95")));
  EXPECT_THAT(
      segments_of(explanation),
      ElementsAre(Pair("late_timer", 3), Pair("timer_interrupt", 2), Pair("hard_irq", 4),
                  Pair("switch", 3), Pair("running", 4), Pair("lock", 688), Pair("running", 3)));
}

}  // namespace
}  // namespace rtsweep
