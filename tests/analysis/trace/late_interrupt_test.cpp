// SPDX-License-Identifier: GPL-2.0-or-later

// What the time before the timer interrupt was spent on.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/analysis/trace/small_trace.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(LateInterrupt, NamesTheIdleStateThatTheCpuCameOutOf) {
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

TEST(LateInterrupt, NamesTheHardInterruptHandlerThatHeldUpTheTimer) {
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
  // Between the two interrupts are 2 us of which nothing is known: both neighbours have the
  // flag h, as an exit and an entry always have.
  EXPECT_THAT(segments_of(explanation),
              ElementsAre(Pair("hard_irq", 80), Pair("late_timer", 2), Pair("timer_interrupt", 2),
                          Pair("hard_irq", 3), Pair("switch", 3), Pair("running", 2)));
}

TEST(LateInterrupt, NamesWhoHadInterruptsOff) {
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

TEST(LateInterrupt, NamesWhoHadInterruptsOffByTheStackOfTheLateInterrupt) {
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

TEST(LateInterrupt, LeavesOutTheBusyWaitingAboveTheFunctionThatHadInterruptsOff) {
  const auto explanation = explained(
      text_of({kArmed, kSleepsIntoBash, kOtherCpuGoesOn, kLateTimerEntry, kStackOfTimer,
               " => delay_tsc\n => do_nasty [nasty]\n => nasty_ioctl [nasty]\n", kLateTimerEnd}));

  EXPECT_EQ(explanation.cause_who, "bash-77 (nice 0) in do_nasty [nasty] <- nasty_ioctl [nasty]");
}

TEST(LateInterrupt, NamesTheConsoleWhenItWasWrittenWithInterruptsOff) {
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
TEST(LateInterrupt, WithoutAnotherCpuBelievesTheStackOnlyWhereInterruptsAreSwitchedOn) {
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

TEST(LateInterrupt, SaysThatTheCpuStoodStillWhenUserSpaceWasInterruptedLate) {
  const auto explanation =
      explained(text_of({kArmed, kSleepsIntoBash, kLateTimerEntry, kStackOfTimer, kLateTimerEnd}));

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.cause, SegmentKind::kMachineSilent);
  EXPECT_THAT(segments_of(explanation)[0], Pair("machine_silent", 301));
  EXPECT_THAT(explanation.headline,
              HasSubstr("the CPU stood still, as firmware (SMI) or a hypervisor makes it"));
}

TEST(LateInterrupt, SaysThatTheMachineStoodStillWhenTimersOfOtherCpusWereHeldTooLong) {
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

TEST(LateInterrupt, NoIdleStateTakesTwoMilliseconds) {
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

TEST(LateInterrupt, SaysUnknownWhenTheTimerWasLateAndNothingShowsWhy) {
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

TEST(LateInterrupt, SaysThatTheWholeMachineStoodStillWhenNoCpuHadAnEvent) {
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

TEST(LateInterrupt, DoesNotTakeThePauseBetweenBurstsForAMachineThatStoodStill) {
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

TEST(LateInterrupt, SeesAChangeOfTheFrequency) {
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

}  // namespace
}  // namespace rtsweep
