// SPDX-License-Identifier: GPL-2.0-or-later

// What keeps a timer interrupt besides the waking: other timers' functions, changes of the
// frequency. The lines are those of VMs with Debian's kernels 6.1-rt,
// shortened; the segments are calculated by hand.
//
// cyclictest-107 (kernel priority 9) has programmed its timer for 13.286807791 of the trace
// clock, which is CLOCK_MONOTONIC within 4 us.

#include <gmock/gmock.h>

#include "analysis/trace/explain.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::HasSubstr;

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
      kArmed + late_interrupt(" => set_clock\n => __cpufreq_driver_target\n => sugov_work\n") + R"(
          worker-108     [000] .......    13.287326: cpu_frequency: state=2400000 cpu_id=0
)" + kRuns);

  EXPECT_EQ(explanation.cause, SegmentKind::kFrequency);
}

}  // namespace
}  // namespace rtsweep
