// SPDX-License-Identifier: GPL-2.0-or-later

// Who held up an interrupt, by the stack of the waking: Debian's kernels have no events for
// interrupts that are switched off. The lines are those of VMs with Debian's kernels 6.1-rt,
// shortened; the segments are calculated by hand.
//
// cyclictest-107 (kernel priority 9) has programmed its timer for 13.286807791 of the trace
// clock, which is CLOCK_MONOTONIC within 4 us.

#include <gmock/gmock.h>

#include "analysis/trace/explain.h"
#include "runner/base/files.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kArmed = R"(
      cyclictest-107     [000] d...1..    13.286463: hrtimer_start: hrtimer=00000000bd2f81f5 function=hrtimer_wakeup expires=13286807791 softexpires=13286807791 mode=ABS|HARD was_armed=0
      cyclictest-107     [000] d...2..    13.286483: sched_switch: prev_comm=cyclictest prev_pid=107 prev_prio=9 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
          <idle>-0       [000] d...2..    13.286631: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=worker next_pid=108 next_prio=120
)";

// The interrupt comes at 13.287216, the waking at 13.287229.
std::string late_interrupt(const std::string& interrupted_functions) {
  return R"(
          worker-108     [000] d..h...    13.287216: local_timer_entry: vector=236
          worker-108     [000] d..h...    13.287223: hrtimer_expire_entry: hrtimer=00000000bd2f81f5 function=hrtimer_wakeup now=13287223000
          worker-108     [000] d..h2..    13.287229: sched_waking: comm=cyclictest pid=107 prio=9 target_cpu=000
          worker-108     [000] d..h2..    13.287286: <stack trace>
 => trace_event_raw_event_sched_wakeup_template
 => try_to_wake_up
 => hrtimer_wakeup
 => __hrtimer_run_queues
 => hrtimer_interrupt
 => __sysvec_apic_timer_interrupt
 => sysvec_apic_timer_interrupt
 => asm_sysvec_apic_timer_interrupt
)" + interrupted_functions +
         R"(          worker-108     [000] dn.h...    13.287314: local_timer_exit: vector=236
)";
}

constexpr const char* kRuns = R"(
          worker-108     [000] d...2..    13.287331: sched_switch: prev_comm=worker prev_pid=108 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=107 next_prio=9
)";

Explanation explained(const std::string& text) {
  auto explanations = explain_text(text, "trace.txt");
  EXPECT_TRUE(explanations.has_value() && explanations->size() == 1);
  return explanations ? explanations->front() : Explanation{};
}

TEST(HeldUp, NamesWhoHadInterruptsOffByThePlaceWhereTheLateInterruptCameIn) {
  const auto explanation = explained(
      kArmed +
      late_interrupt(
          " => rtsweep_irqs_off [rtsweep_delay]\n => inject_all [rtsweep_delay]\n => kthread\n") +
      kRuns);

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.cause, SegmentKind::kIrqsOff);
  EXPECT_EQ(
      explanation.cause_who,
      "worker-108 (nice 0) in rtsweep_irqs_off [rtsweep_delay] <- inject_all [rtsweep_delay]");
  // From 13.286807791, which is 13.286807791 of the trace, to the interrupt at 13.287216.
  EXPECT_NEAR(static_cast<double>(explanation.segments[0].length_ns), 408'209, 4'000);
}

TEST(HeldUp, IsTheMachineWhenTheLateInterruptCameIntoUserCode) {
  const auto explanation = explained(kArmed + late_interrupt("") + kRuns);

  EXPECT_EQ(explanation.cause, SegmentKind::kMachineSilent);
  EXPECT_THAT(explanation.segments[0].detail, HasSubstr("user space"));
}

// Its waking is late by the handler's own work only.
TEST(HeldUp, NamesThePlaceWherePreemptionWasOff) {
  std::string text = kArmed + late_interrupt(" => rtsweep_preempt_off\n => inject_all\n");
  text.replace(text.find("expires=13286807791"), 19, "expires=13287212791");
  text += R"(
          worker-108     [000] d...2..    13.287931: sched_switch: prev_comm=worker prev_pid=108 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=107 next_prio=9
)";
  const auto explanation = explained(text);

  EXPECT_EQ(explanation.cause, SegmentKind::kPreemptOff);
  EXPECT_EQ(explanation.cause_who, "worker-108 (nice 0) in rtsweep_preempt_off <- inject_all");
}

// Another timer of the same interrupt went first, from 13.286815 to 13.287215.
TEST(HeldUp, NamesTheTimerFunctionThatKeptTheInterrupt) {
  const auto explanation = explained(std::string(kArmed) + R"(
          worker-108     [000] d..h...    13.286810: local_timer_entry: vector=236
          worker-108     [000] d..h...    13.286815: hrtimer_expire_entry: hrtimer=00000000aaaaaaaa function=rtsweep_long_timer now=13286815000
          worker-108     [000] d..h...    13.287215: hrtimer_expire_exit: hrtimer=00000000aaaaaaaa
          worker-108     [000] d..h...    13.287223: hrtimer_expire_entry: hrtimer=00000000bd2f81f5 function=hrtimer_wakeup now=13287223000
          worker-108     [000] d..h2..    13.287229: sched_waking: comm=cyclictest pid=107 prio=9 target_cpu=000
          worker-108     [000] dn.h...    13.287314: local_timer_exit: vector=236
)" + kRuns);

  EXPECT_EQ(explanation.cause, SegmentKind::kHardIrq);
  EXPECT_EQ(explanation.cause_who, "local_timer: rtsweep_long_timer");
  EXPECT_THAT(explanation.headline, HasSubstr("for 400 us"));
}

// The clock stands still with interrupts off until 13.287216, and the change is told later.
TEST(HeldUp, SeesAChangeOfTheFrequencyBehindTheInterruptThatItHeldUp) {
  const auto explanation = explained(
      kArmed +
      late_interrupt(" => set_clock [clk]\n => __cpufreq_driver_target\n => sugov_work\n") + R"(
          worker-108     [000] .......    13.287326: cpu_frequency: state=2400000 cpu_id=0
)" + kRuns);

  EXPECT_EQ(explanation.cause, SegmentKind::kFrequency);
}

// ktimers/0 is woken on the interrupt's way out, when no flag says so any more.
TEST(HeldUp, SeesAChangeOfTheFrequencyBehindWhatTheInterruptWokeOnItsWayOut) {
  const auto explanation = explained(
      kArmed +
      late_interrupt(" => set_clock [clk]\n => __cpufreq_driver_target\n => sugov_work\n") +
      R"(
          worker-108     [000] d...2..    13.287318: sched_waking: comm=ktimers/0 pid=15 prio=98 target_cpu=000
          worker-108     [000] d...3..    13.287320: sched_wakeup: comm=ktimers/0 pid=15 prio=98 target_cpu=000
          worker-108     [000] .......    13.287326: cpu_frequency: state=2400000 cpu_id=0
)" + kRuns);

  EXPECT_EQ(explanation.cause, SegmentKind::kFrequency);
  // From 13.286807791 to the interrupt at 13.287216.
  EXPECT_NEAR(static_cast<double>(explanation.segments[0].length_ns), 408'209, 4'000);
}

// Lines of a VM with 6.1-rt: a timer interrupt ended, 640 us later the tick came, and only then
// did the thread give the CPU up. All of the interrupts' lines have the flag h.
TEST(HeldUp, IsNotInAnInterruptBetweenTheExitOfOneAndTheEntryOfTheNext) {
  std::string text = kArmed + late_interrupt(" => rtsweep_preempt_off\n => inject_all\n");
  text.replace(text.find("expires=13286807791"), 19, "expires=13287212791");
  text += R"(
          worker-108     [000] dn.h...    13.287954: local_timer_entry: vector=236
          worker-108     [000] dn.h...    13.287968: local_timer_exit: vector=236
          worker-108     [000] d...2..    13.288068: sched_switch: prev_comm=worker prev_pid=108 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=107 next_prio=9
)";
  const auto explanation = explained(text);

  EXPECT_EQ(explanation.cause, SegmentKind::kPreemptOff);
  // 13.287314 to 13.287954, and 13.287968 to 13.288068.
  EXPECT_THAT(explanation.headline, HasSubstr("for 740 us worker-108 (nice 0) in"));
}

// The waking was too early to have a stack of its own; that of the switch, as the kernel
// wrote it, begins with the functions of the trigger that asked for it.
TEST(HeldUp, NamesThePlaceByTheSwitchOnTheWayOutOfTheLateInterrupt) {
  std::string text = kArmed + late_interrupt("") + kRuns + R"(
          worker-108     [000] d...2..    13.287386: <stack trace>
 => trace_event_raw_event_synth
 => action_trace
 => event_hist_trigger
 => event_triggers_call
 => trace_event_buffer_commit
 => trace_event_raw_event_sched_switch
 => __traceiter_sched_switch
 => __schedule
 => preempt_schedule_irq
 => asm_sysvec_apic_timer_interrupt
 => rtsweep_irqs_off [rtsweep_inject]
 => inject_all [rtsweep_inject]
 => kthread
 => ret_from_fork
)";
  const size_t stack = text.find("          worker-108     [000] d..h2..    13.287286");
  text.erase(stack, text.find("          worker-108     [000] dn.h...    13.287314") - stack);
  const auto explanation = explained(text);

  EXPECT_EQ(explanation.cause, SegmentKind::kIrqsOff);
  EXPECT_THAT(explanation.cause_who, HasSubstr("rtsweep_irqs_off [rtsweep_inject]"));
}

// The interrupt came in when a raw spinlock let it, and the thread was preempted behind that.
TEST(HeldUp, NamesThePlaceByTheSwitchBehindTheSpinlockThatLetTheInterruptIn) {
  std::string text = kArmed + late_interrupt("") + kRuns + R"(
          worker-108     [000] d...2..    13.287386: <stack trace>
 => trace_event_raw_event_sched_switch
 => __schedule
 => preempt_schedule
 => preempt_schedule_thunk
 => _raw_spin_unlock_irqrestore
 => rtsweep_irqs_off [rtsweep_inject]
 => inject_all [rtsweep_inject]
)";
  const size_t stack = text.find("          worker-108     [000] d..h2..    13.287286");
  text.erase(stack, text.find("          worker-108     [000] dn.h...    13.287314") - stack);
  const auto explanation = explained(text);

  EXPECT_EQ(explanation.cause, SegmentKind::kIrqsOff);
  EXPECT_EQ(explanation.cause_who,
            "worker-108 (nice 0) in _raw_spin_unlock_irqrestore <- rtsweep_irqs_off "
            "[rtsweep_inject]");
}

// The same stack where nothing is interrupted: the code gave up the CPU when preemption was on.
TEST(HeldUp, LeavesTheTracersOwnFunctionsOutOfThePlace) {
  std::string text = kArmed + late_interrupt("") + R"(
          worker-108     [000] d...2..    13.287931: sched_switch: prev_comm=worker prev_pid=108 prev_prio=120 prev_state=R+ ==> next_comm=cyclictest next_pid=107 next_prio=9
          worker-108     [000] d...2..    13.287990: <stack trace>
 => trace_event_raw_event_synth
 => action_trace
 => event_hist_trigger
 => event_triggers_call
 => trace_event_buffer_commit
 => trace_event_raw_event_sched_switch
 => __traceiter_sched_switch
 => __schedule
 => preempt_schedule
 => preempt_schedule_thunk
 => rtsweep_preempt_off [rtsweep_inject]
 => inject_all [rtsweep_inject]
)";
  text.replace(text.find("expires=13286807791"), 19, "expires=13287212791");
  const auto explanation = explained(text);

  EXPECT_EQ(explanation.cause, SegmentKind::kPreemptOff);
  EXPECT_EQ(explanation.cause_who,
            "worker-108 (nice 0) in rtsweep_preempt_off [rtsweep_inject] <- inject_all "
            "[rtsweep_inject]");
}

// What trace-cmd prints of a capture: the stacks are events of their own there, with addresses.
// By the module's own log interrupts were off from 9.567912147 for 1161577 ns, to 9.569073724;
// the timer was programmed for 9.568618492: 455.232 us, and 3 us to the interrupt.
TEST(HeldUp, FindsThePlaceInTheTextOfTraceCmd) {
  const auto text = read_file(std::filesystem::path(RTSWEEP_SOURCE_DIR) /
                              "tests/golden/trace/trace-cmd-report.txt");
  ASSERT_THAT(text, testing::IsOk());
  const auto explanation = explained(*text);

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.cause, SegmentKind::kIrqsOff);
  EXPECT_THAT(explanation.cause_who, HasSubstr("_raw_spin_unlock_irqrestore <- rtsweep_irqs_off"));
  ASSERT_FALSE(explanation.segments.empty());
  EXPECT_NEAR(static_cast<double>(explanation.segments[0].length_ns), 455'232, 5'000);
}

TEST(HeldUp, IsNoChangeOfTheFrequencyWhenTheInterruptCameInElsewhere) {
  const auto explanation = explained(kArmed + late_interrupt(" => somewhere_else\n") + R"(
          worker-108     [000] .......    13.287326: cpu_frequency: state=2400000 cpu_id=0
)" + kRuns);

  // One CPU, and no place where interrupts are switched on: it may have been the machine.
  EXPECT_EQ(explanation.cause, SegmentKind::kLateTimer);
}

}  // namespace
}  // namespace rtsweep
