// SPDX-License-Identifier: GPL-2.0-or-later

// One small trace for each thing that a latency can be spent on, in the form in which the
// kernel prints it, with the segments calculated by hand.
//
// In all of them cyclictest-1000 (kernel priority 4, so SCHED_FIFO 95) on CPU 1 programs its
// timer for 95.001000000 of CLOCK_MONOTONIC. The trace clock is 5 s ahead of that, as
// hrtimer_expire_entry's `now` shows: the programmed expiry is at 100.001000 of the trace.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "analysis/trace/explain.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr const char* kArmed = R"(
      cyclictest-1000    [001] d..2.   100.000000: hrtimer_start: hrtimer=00000000aa function=hrtimer_wakeup expires=95001000000 softexpires=95001000000 mode=ABS
)";
constexpr const char* kSleepsIntoIdle = R"(
      cyclictest-1000    [001] d..2.   100.000005: sched_switch: prev_comm=cyclictest prev_pid=1000 prev_prio=4 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
)";
constexpr const char* kSleepsIntoBash = R"(
      cyclictest-1000    [001] d..2.   100.000005: sched_switch: prev_comm=cyclictest prev_pid=1000 prev_prio=4 prev_state=S ==> next_comm=bash next_pid=77 next_prio=120
)";
// From 100.001003 to 100.001009, waking at 100.001005.
constexpr const char* kTimerOnTimeInBash = R"(
            bash-77      [001] d.h..   100.001003: local_timer_entry: vector=236
            bash-77      [001] d.h1.   100.001004: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001004000
            bash-77      [001] d.h2.   100.001005: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] dNh2.   100.001006: sched_wakeup: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] dNh1.   100.001008: hrtimer_expire_exit: hrtimer=00000000aa
            bash-77      [001] dNh..   100.001009: local_timer_exit: vector=236
)";

std::string text_of(std::initializer_list<const char*> parts) {
  std::string text;
  for (const char* part : parts) text += part;
  return text;
}

Explanation explained(const std::string& text) {
  auto explanations = explain_text(text, "trace.txt");
  EXPECT_TRUE(explanations.has_value() && explanations->size() == 1);
  return explanations ? explanations->front() : Explanation{};
}

// Kind and microseconds of each segment; they must add up to the latency.
std::vector<std::pair<std::string, double>> segments_of(const Explanation& explanation) {
  std::vector<std::pair<std::string, double>> segments;
  int64_t sum = 0;
  for (const Segment& segment : explanation.segments) {
    segments.emplace_back(segment_code(segment.kind), static_cast<double>(segment.length_ns) / 1e3);
    sum += segment.length_ns;
  }
  EXPECT_EQ(sum, explanation.latency_ns.value_or(-1)) << explanation.headline;
  return segments;
}

TEST(ExplainEvents, NamesTheIdleStateThatTheCpuCameOutOf) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoIdle, R"(
          <idle>-0       [001] d..1.   100.000010: cpu_idle: state=2 cpu_id=1
          <idle>-0       [001] d..1.   100.001120: cpu_idle: state=4294967295 cpu_id=1
          <idle>-0       [001] d.h1.   100.001122: local_timer_entry: vector=236
          <idle>-0       [001] d.h2.   100.001123: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001123000
          <idle>-0       [001] d.h3.   100.001124: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
          <idle>-0       [001] dNh3.   100.001126: sched_wakeup: comm=cyclictest pid=1000 prio=4 target_cpu=001
          <idle>-0       [001] dNh2.   100.001127: hrtimer_expire_exit: hrtimer=00000000aa
          <idle>-0       [001] dNh1.   100.001128: local_timer_exit: vector=236
          <idle>-0       [001] d..2.   100.001131: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001140: tracing_mark_write: hit latency threshold (134 > 50)
)"}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.latency_ns, 134'000);
  // 1000 -> 1122 idle, -> 1124 to the waking, -> 1128 the rest of the interrupt, -> 1131 the
  // switch, -> 1134 the clock was read.
  EXPECT_THAT(segments_of(explanation),
              ElementsAre(Pair("idle_exit", 122), Pair("timer_interrupt", 2), Pair("hard_irq", 4),
                          Pair("switch", 3), Pair("running", 3)));
  EXPECT_EQ(explanation.cause, SegmentKind::kIdleExit);
  EXPECT_EQ(explanation.cause_who, "state 2");
  EXPECT_THAT(explanation.headline,
              HasSubstr("cyclictest-1000 (RT priority 95) was late by 134 us"));
}

TEST(ExplainEvents, NamesTheHardInterruptHandlerThatHeldUpTheTimer) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, R"(
            bash-77      [001] d.h..   100.000990: irq_handler_entry: irq=42 name=eth0-rx
            bash-77      [001] d.h..   100.001080: irq_handler_exit: irq=42 ret=handled
            bash-77      [001] d.h..   100.001082: local_timer_entry: vector=236
            bash-77      [001] d.h1.   100.001083: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001083000
            bash-77      [001] d.h2.   100.001084: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] dNh1.   100.001086: hrtimer_expire_exit: hrtimer=00000000aa
            bash-77      [001] dNh..   100.001087: local_timer_exit: vector=236
            bash-77      [001] d..2.   100.001090: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001099: tracing_mark_write: hit latency threshold (92 > 50)
)"}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.cause, SegmentKind::kHardIrq);
  EXPECT_EQ(explanation.cause_who, "irq 42 eth0-rx");
  // Between the two interrupts, 2 us in the flow handler: both neighbours have the flag h.
  EXPECT_THAT(segments_of(explanation),
              ElementsAre(Pair("hard_irq", 80), Pair("hard_irq", 2), Pair("timer_interrupt", 2),
                          Pair("hard_irq", 3), Pair("switch", 3), Pair("running", 2)));
}

TEST(ExplainEvents, NamesWhoHadInterruptsOff) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, R"(
            bash-77      [001] d....   100.000950: irq_disable: caller=do_nasty+0x10/0x80 parent=nasty_ioctl+0x20/0x90
            bash-77      [001] d....   100.001300: irq_enable: caller=do_nasty+0x70/0x80 parent=nasty_ioctl+0x20/0x90
            bash-77      [001] d.h..   100.001301: local_timer_entry: vector=236
            bash-77      [001] d.h1.   100.001302: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001302000
            bash-77      [001] d.h2.   100.001303: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] dNh1.   100.001304: hrtimer_expire_exit: hrtimer=00000000aa
            bash-77      [001] dNh..   100.001305: local_timer_exit: vector=236
            bash-77      [001] d..2.   100.001308: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001315: tracing_mark_write: hit latency threshold (310 > 50)
)"}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.cause, SegmentKind::kIrqsOff);
  EXPECT_THAT(explanation.cause_who, HasSubstr("bash-77 (nice 0) in do_nasty <- nasty_ioctl"));
  EXPECT_THAT(segments_of(explanation),
              ElementsAre(Pair("irqs_off", 300), Pair("late_timer", 1), Pair("timer_interrupt", 2),
                          Pair("hard_irq", 2), Pair("switch", 3), Pair("running", 2)));
  EXPECT_THAT(explanation.notes, ::testing::Contains(HasSubstr("300 us, lines")))
      << "the largest gap starts before the expiry and is cut to it";
}

// What the interrupt came into, as kernels without preemptirq events (Debian's) show it: a
// stack trace at an event of the handler.
constexpr const char* kStackOfTimer = R"( => trace_event_raw_event_x86_irq_vector
 => __sysvec_apic_timer_interrupt
 => sysvec_apic_timer_interrupt
 => asm_sysvec_apic_timer_interrupt
)";
constexpr const char* kLateTimerEntry = R"(
            bash-77      [001] d.h..   100.001301: local_timer_entry: vector=236
            bash-77      [001] d.h..   100.001301: <stack trace>
)";
constexpr const char* kLateTimerEnd = R"(
            bash-77      [001] d.h1.   100.001302: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001302000
            bash-77      [001] d.h2.   100.001303: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] dNh1.   100.001304: hrtimer_expire_exit: hrtimer=00000000aa
            bash-77      [001] dNh..   100.001305: local_timer_exit: vector=236
            bash-77      [001] d..2.   100.001308: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001315: tracing_mark_write: hit latency threshold (310 > 50)
)";
constexpr const char* kOtherCpuGoesOn = R"(
            make-9       [000] .....   100.001100: user_event: busy
)";

TEST(ExplainEvents, NamesWhoHadInterruptsOffByTheStackOfTheLateInterrupt) {
  const auto explanation =
      explained(text_of({kArmed, kSleepsIntoBash, kOtherCpuGoesOn, kLateTimerEntry, kStackOfTimer,
                         " => copy_page_range\n => dup_mmap\n => do_syscall_64\n", kLateTimerEnd}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.cause, SegmentKind::kIrqsOff);
  EXPECT_EQ(explanation.cause_who, "bash-77 (nice 0) in copy_page_range <- dup_mmap");
  // Expiry at 1000, the interrupt at 1301, the waking at 1303, its end at 1305, running at 1308.
  EXPECT_THAT(segments_of(explanation),
              ElementsAre(Pair("irqs_off", 301), Pair("timer_interrupt", 2), Pair("hard_irq", 2),
                          Pair("switch", 3), Pair("running", 2)));
}

TEST(ExplainEvents, LeavesOutTheBusyWaitingAboveTheFunctionThatHadInterruptsOff) {
  const auto explanation = explained(
      text_of({kArmed, kSleepsIntoBash, kOtherCpuGoesOn, kLateTimerEntry, kStackOfTimer,
               " => delay_tsc\n => do_nasty [nasty]\n => nasty_ioctl [nasty]\n", kLateTimerEnd}));

  EXPECT_EQ(explanation.cause_who, "bash-77 (nice 0) in do_nasty [nasty] <- nasty_ioctl [nasty]");
}

TEST(ExplainEvents, NamesTheConsoleWhenItWasWrittenWithInterruptsOff) {
  const auto explanation = explained(
      text_of({kArmed, kSleepsIntoBash, kOtherCpuGoesOn, kLateTimerEntry, kStackOfTimer,
               " => _raw_spin_unlock_irqrestore\n => serial8250_console_write\n => console_unlock\n"
               " => vprintk_emit\n",
               kLateTimerEnd}));

  EXPECT_EQ(explanation.cause, SegmentKind::kIrqsOff);
  EXPECT_EQ(explanation.cause_detail, "serial console");
  EXPECT_THAT(explanation.headline,
              HasSubstr("in _raw_spin_unlock_irqrestore <- serial8250_console_write (serial "
                        "console)"));
}

// One CPU, or others without events: in the middle of kernel code it may as well have been
// the machine that stood still.
TEST(ExplainEvents, WithoutAnotherCpuBelievesTheStackOnlyWhereInterruptsAreSwitchedOn) {
  const auto anywhere = explained(text_of({kArmed, kSleepsIntoBash, kLateTimerEntry, kStackOfTimer,
                                           " => copy_page_range\n => dup_mmap\n", kLateTimerEnd}));
  const auto unlock =
      explained(text_of({kArmed, kSleepsIntoBash, kLateTimerEntry, kStackOfTimer,
                         " => _raw_spin_unlock_irqrestore\n => do_nasty\n", kLateTimerEnd}));

  EXPECT_EQ(anywhere.cause, SegmentKind::kLateTimer);
  EXPECT_EQ(anywhere.conclusion, Conclusion::kUnknown);
  EXPECT_EQ(unlock.cause, SegmentKind::kIrqsOff);
  EXPECT_EQ(unlock.cause_who, "bash-77 (nice 0) in _raw_spin_unlock_irqrestore <- do_nasty");
}

TEST(ExplainEvents, SaysThatTheCpuStoodStillWhenUserSpaceWasInterruptedLate) {
  const auto explanation =
      explained(text_of({kArmed, kSleepsIntoBash, kLateTimerEntry, kStackOfTimer, kLateTimerEnd}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.cause, SegmentKind::kMachineSilent);
  EXPECT_THAT(segments_of(explanation)[0], Pair("machine_silent", 301));
  EXPECT_THAT(explanation.headline,
              HasSubstr("the CPU stood still, as firmware (SMI) or a hypervisor makes it"));
}

TEST(ExplainEvents, SaysThatTheMachineStoodStillWhenTimersOfOtherCpusWereHeldTooLong) {
  // CPU 0 has few events, but its own timer was due at 1150 and expired at 1310 like all.
  const auto explanation = explained(text_of({R"(
           other-70      [000] d..2.   100.000150: hrtimer_start: hrtimer=00000000bb function=hrtimer_wakeup expires=95001150000 softexpires=95001150000 mode=ABS
)",
                                              kArmed, kSleepsIntoBash, kLateTimerEntry, R"(
          <idle>-0       [000] d.h1.   100.001310: hrtimer_expire_entry: hrtimer=00000000bb function=hrtimer_wakeup now=95001310000
)",
                                              kLateTimerEnd}));

  EXPECT_EQ(explanation.cause, SegmentKind::kMachineSilent);
  EXPECT_THAT(segments_of(explanation)[0], Pair("machine_silent", 301));
}

TEST(ExplainEvents, NoIdleStateTakesTwoMilliseconds) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoIdle, R"(
          <idle>-0       [001] d..1.   100.000010: cpu_idle: state=1 cpu_id=1
          <idle>-0       [001] d.h1.   100.006002: local_timer_entry: vector=236
          <idle>-0       [001] d.h2.   100.006003: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95006003000
          <idle>-0       [001] d.h3.   100.006004: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
          <idle>-0       [001] dNh2.   100.006006: hrtimer_expire_exit: hrtimer=00000000aa
          <idle>-0       [001] dNh1.   100.006007: local_timer_exit: vector=236
          <idle>-0       [001] d..1.   100.006008: cpu_idle: state=4294967295 cpu_id=1
          <idle>-0       [001] d..2.   100.006011: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.006020: tracing_mark_write: hit latency threshold (5014 > 50)
)"}));

  EXPECT_EQ(explanation.cause, SegmentKind::kMachineSilent);
  EXPECT_THAT(
      segments_of(explanation),
      ElementsAre(Pair("machine_silent", 5002), Pair("timer_interrupt", 2), Pair("hard_irq", 3),
                  Pair("idle_exit", 1), Pair("switch", 3), Pair("running", 3)));
}

TEST(ExplainEvents, NamesTheFunctionWithPreemptionOffByTheStackOfTheSwitch) {
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

TEST(ExplainEvents, TakesAStormOfSoftirqsAsOneCause) {
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

// rtsweep's own event, and the numbers that its caller knows.
constexpr const char* kLateEvent = R"(
      cyclictest-1000    [001] d..2.   100.001330: rtsweep_late: latency_ns=308000 pid=1000
)";
constexpr const char* kWithoutMark = R"(
            bash-77      [001] d.h..   100.001301: local_timer_entry: vector=236
            bash-77      [001] d.h1.   100.001302: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001302000
            bash-77      [001] d.h2.   100.001303: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] d..2.   100.001308: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
)";

TEST(ExplainEvents, TakesTheLateEventAsTheKernelsPartOfTheLatency) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, kWithoutMark, kLateEvent}));

  EXPECT_EQ(explanation.latency_ns, 308'000);
  EXPECT_EQ(explanation.latency_of, "from programmed expiry to the context switch");
  EXPECT_THAT(segments_of(explanation)[0], Pair("late_timer", 301));
}

TEST(ExplainEvents, KnowsTheExpiryFromTheLateEventWithoutItsTimer) {
  const auto explanation = explained(text_of({kSleepsIntoBash, kWithoutMark, kLateEvent}));

  EXPECT_EQ(explanation.latency_ns, 308'000);
  EXPECT_THAT(segments_of(explanation)[0], Pair("late_timer", 301));
}

TEST(ExplainEvents, PassesOverALateEventThatBelongsToAnEarlierWaking) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, kWithoutMark, kLateEvent, R"(
      cyclictest-1000    [001] d..2.   100.001331: hrtimer_start: hrtimer=00000000aa function=hrtimer_wakeup expires=95002000000 softexpires=95002000000 mode=ABS
      cyclictest-1000    [001] d..2.   100.001335: sched_switch: prev_comm=cyclictest prev_pid=1000 prev_prio=4 prev_state=S ==> next_comm=bash next_pid=77 next_prio=120
            bash-77      [001] d.h1.   100.007002: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95002002000
            bash-77      [001] d.h2.   100.007003: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] dNh1.   100.007004: hrtimer_expire_exit: hrtimer=00000000aa
            bash-77      [001] d..2.   100.007006: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] d..2.   100.007020: rtsweep_late: latency_ns=308000 pid=1000
)"}));

  ASSERT_FALSE(explanation.segments.empty());
  EXPECT_EQ(explanation.segments.front().begin_ns, 100'001'000'000);
}

TEST(ExplainEvents, EndsWhereTheMeasuringThreadReadTheClock) {
  // cyclictest said 315 us, and that it read the clock at 100.001315 (of the trace's clock).
  const ExplainOptions options{
      .known = KnownLatency{.latency_us = 315, .end_ns = 100'001'315'000, .pid = 1000}};
  const auto explanations = explain_text(
      text_of({kArmed, kSleepsIntoBash, kWithoutMark, kLateEvent}), "trace.txt", options);

  ASSERT_THAT(explanations, testing::IsOk());
  const Explanation& explanation = explanations->front();
  EXPECT_EQ(explanation.latency_ns, 315'000);
  EXPECT_EQ(explanation.latency_of, "from programmed expiry to running");
  // Without the exit of the interrupt in the trace it goes on; the switch ends it.
  EXPECT_THAT(segments_of(explanation).back(), Pair("running", 7));
}

TEST(ExplainEvents, SaysUnknownWhenTheTimerWasLateAndNothingShowsWhy) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, R"(
            bash-77      [001] d.h..   100.001201: local_timer_entry: vector=236
            bash-77      [001] d.h1.   100.001202: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001202000
            bash-77      [001] d.h2.   100.001203: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] dNh1.   100.001204: hrtimer_expire_exit: hrtimer=00000000aa
            bash-77      [001] dNh..   100.001205: local_timer_exit: vector=236
            bash-77      [001] d..2.   100.001208: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001215: tracing_mark_write: hit latency threshold (210 > 50)
)"}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kUnknown);
  EXPECT_EQ(explanation.cause, SegmentKind::kLateTimer);
  EXPECT_THAT(segments_of(explanation)[0], Pair("late_timer", 201));
  EXPECT_THAT(explanation.next, ::testing::Contains(HasSubstr("preemptirq")));
}

TEST(ExplainEvents, SaysThatTheWholeMachineStoodStillWhenNoCpuHadAnEvent) {
  // CPU 0 has an event every 10 us, but from 990 to 1310: 32 are missing.
  std::string others;
  for (int us = 10; us <= 990; us += 10) {
    others += "            make-9       [000] .....   100.000" + std::string(us < 100 ? "0" : "") +
              std::to_string(us) + ": user_event: busy\n";
  }
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, others.c_str(), R"(
            make-9       [000] .....   100.001310: user_event: busy
            bash-77      [001] d.h..   100.001311: local_timer_entry: vector=236
            bash-77      [001] d.h1.   100.001312: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001312000
            bash-77      [001] d.h2.   100.001313: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] dNh1.   100.001314: hrtimer_expire_exit: hrtimer=00000000aa
            bash-77      [001] dNh..   100.001315: local_timer_exit: vector=236
            bash-77      [001] d..2.   100.001318: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001325: tracing_mark_write: hit latency threshold (320 > 50)
)"}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.cause, SegmentKind::kMachineSilent);
  EXPECT_THAT(segments_of(explanation)[0], Pair("machine_silent", 310));
  EXPECT_THAT(explanation.headline, HasSubstr("firmware (SMI) or a hypervisor"));
}

TEST(ExplainEvents, DoesNotTakeThePauseBetweenBurstsForAMachineThatStoodStill) {
  // CPU 0 has 40 events in 20 us at the begin of each 400 us, as threads with one interval
  // have them: 250 us without one are no surprise, though 25 were to be expected.
  std::string others;
  for (int burst = 0; burst <= 800; burst += 400) {
    for (int i = 0; i < 40; ++i) {
      others += fmt::format("            make-9       [000] .....   100.{:06}: user_event: busy\n",
                            burst + 200 + i / 2);
    }
  }
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, others.c_str(), R"(
            bash-77      [001] d.h..   100.001290: local_timer_entry: vector=236
            bash-77      [001] d.h1.   100.001291: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001291000
            bash-77      [001] d.h2.   100.001292: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] d..2.   100.001300: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001305: tracing_mark_write: hit latency threshold (303 > 50)
            make-9       [000] .....   100.001400: user_event: busy
)"}));

  EXPECT_EQ(explanation.cause, SegmentKind::kLateTimer);
}

TEST(ExplainEvents, NamesTheSoftirqThatRanBeforeTheThread) {
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

TEST(ExplainEvents, NamesTheThreadAndTheFunctionThatHadPreemptionOff) {
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

TEST(ExplainEvents, NamesTheThreadOfHigherPriority) {
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

TEST(ExplainEvents, SeesTheMigrationToAnotherCpu) {
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

TEST(ExplainEvents, NamesTheOwnerOfTheLockThatTheThreadWaitedFor) {
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

TEST(ExplainEvents, SeesAChangeOfTheFrequency) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, R"(
            bash-77      [001] .....   100.000940: user_event: before
            bash-77      [001] .....   100.001140: cpu_frequency: state=600000 cpu_id=1
            bash-77      [001] d.h..   100.001143: local_timer_entry: vector=236
            bash-77      [001] d.h1.   100.001144: hrtimer_expire_entry: hrtimer=00000000aa function=hrtimer_wakeup now=95001144000
            bash-77      [001] d.h2.   100.001145: sched_waking: comm=cyclictest pid=1000 prio=4 target_cpu=001
            bash-77      [001] dNh1.   100.001146: hrtimer_expire_exit: hrtimer=00000000aa
            bash-77      [001] dNh..   100.001147: local_timer_exit: vector=236
            bash-77      [001] d..2.   100.001150: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001160: tracing_mark_write: hit latency threshold (153 > 50)
)"}));

  EXPECT_EQ(explanation.cause, SegmentKind::kFrequency);
  EXPECT_THAT(segments_of(explanation)[0], Pair("frequency", 140));
}

TEST(ExplainEvents, IsNotProvableWhenEventsWereLostInThatTime) {
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

TEST(ExplainEvents, LostEventsOfAnotherCpuDoNotMatter) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, kTimerOnTimeInBash, R"(
CPU:3 [LOST 42 EVENTS]
            bash-77      [001] .Ns1.   100.001010: softirq_entry: vec=3 [action=NET_RX]
            bash-77      [001] .Ns1.   100.001410: softirq_exit: vec=3 [action=NET_RX]
            bash-77      [001] d..2.   100.001413: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001420: tracing_mark_write: hit latency threshold (415 > 50)
)"}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
}

TEST(ExplainEvents, IsNotProvableWhenASwitchIsMissing) {
  const auto explanation = explained(text_of({kArmed, kSleepsIntoBash, kTimerOnTimeInBash, R"(
           other-88      [001] d..2.   100.001413: sched_switch: prev_comm=other prev_pid=88 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=1000 next_prio=4
      cyclictest-1000    [001] .....   100.001420: tracing_mark_write: hit latency threshold (415 > 50)
)"}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kNotProvable);
  EXPECT_THAT(explanation.notes,
              ::testing::Contains(HasSubstr("sched_switch from other-88 (nice 0), while bash-77")));
}

TEST(ExplainEvents, WithoutItsTimerTheLatencyEndsAtTheMark) {
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

TEST(ExplainEvents, TakesTheLongestWaitOfARealTimeThreadWhereNothingIsMarked) {
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

TEST(ExplainEvents, SplitsTimerlatsLatencyAtItsInterrupt) {
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

TEST(ExplainEvents, ReadsTraceCmdsFormOfTheSchedulersEvents) {
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

TEST(ExplainEvents, IsNotUsableWithoutSchedulerEvents) {
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
