// SPDX-License-Identifier: GPL-2.0-or-later

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/trace/explain.h"
#include "analysis/trace/explanation_text.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

Explanation only(std::string_view text) {
  auto explanations = explain_text(text, "f");
  EXPECT_TRUE(explanations.has_value() && explanations->size() == 1);
  return explanations ? explanations->front() : Explanation{};
}

// The form of rtla's timerlat_thread_analysis(): 10 + 5 + 60 + 20 of 97 us.
TEST(ExplainRtla, TakesThePartsOverAndAddsWhatIsLeft) {
  const auto explanation = only(
      "rtla timerlat hit stop tracing\n"
      "## CPU 23 hit stop tracing, analyzing it ##\n"
      "  IRQ handler delay:\t\t                \t    10.00 us (10.31 %)\n"
      "  IRQ latency:\t\t\t\t\t\t    11.20 us\n"
      "  Timerlat IRQ duration:\t\t\t\t     5.00 us (5.15 %)\n"
      "  Blocking thread:\t\t\t\t\t    60.00 us (61.86 %)\n"
      "\t                 objtool:49256    \t\t    60.00 us\n"
      "    Blocking thread stack trace\n"
      "\t\t-> timerlat_irq\n"
      "\t\t-> copy_page_range\n"
      "  IRQ interference\t\t\t\t\t    20.00 us (20.62 %)\n"
      "\t             local_timer:236 \t\t\t    20.00 us\n"
      "------------------------------------------------------------------------\n"
      "  Thread latency:\t\t\t\t\t    97.00 us (100%)\n");

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.latency_ns, 97'000);
  ASSERT_THAT(explanation.segments, SizeIs(5));
  EXPECT_EQ(explanation.segments[4].kind, SegmentKind::kSwitch);
  EXPECT_EQ(explanation.segments[4].length_ns, 2'000);
  EXPECT_EQ(explanation.cause, SegmentKind::kPreemptOff);
  EXPECT_EQ(explanation.cause_who, "objtool:49256");
}

TEST(ExplainRtla, DoesNotKnowWhyAnInterruptWasLate) {
  const auto explanation = only(
      "## CPU 2 hit stop tracing, analyzing it ##\n"
      "  IRQ handler delay:\t\t                \t    90.00 us (98.90 %)\n"
      "  IRQ latency:\t\t\t\t\t\t    91.00 us\n"
      "  Blocking thread:\n"
      "\t                 make:400\n"
      "------------------------------------------------------------------------\n"
      "  IRQ latency:\t\t\t\t\t    91.00 us (100%)\n");

  EXPECT_EQ(explanation.conclusion, Conclusion::kUnknown);
  EXPECT_EQ(explanation.latency_ns, 91'000);
  EXPECT_THAT(explanation.next, Contains(HasSubstr("preemptirq")));
}

TEST(ExplainLatencyTracer, TheHeadersValueCountsAndNotTheLastLines) {
  const auto explanation = only(R"(# tracer: irqsoff
#
# irqsoff latency trace v1.1.5 on 6.1.0
# latency: 16 us, #4/4, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)
#    | task: swapper/0-0 (uid:0 nice:0 policy:0 rt_prio:0)
#  => started at: run_timer_softirq
#  => ended at:   run_timer_softirq
  <idle>-0       0d.s2    0us+: _raw_spin_lock_irq <-run_timer_softirq
  <idle>-0       0dNs3   17us : _raw_spin_unlock_irq <-run_timer_softirq
  <idle>-0       0dNs3   17us+: trace_hardirqs_on <-run_timer_softirq
  <idle>-0       0dNs3   25us : <stack trace>
 => _raw_spin_unlock_irq
)");

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.latency_ns, 16'000);
  ASSERT_THAT(explanation.segments, SizeIs(1));
  EXPECT_EQ(explanation.segments[0].length_ns, 16'000);
  EXPECT_THAT(explanation.notes, Contains(HasSubstr("16 us count, not the last line's 25 us")));
  EXPECT_THAT(explanation.headline, HasSubstr("Interrupts were off for 16 us on CPU 0"));
  EXPECT_THAT(explanation.headline, HasSubstr("run_timer_softirq"));
}

TEST(ExplainLatencyTracer, IsNotProvableWhenTheBeginWasOverwritten) {
  const auto explanation = only(R"(# tracer: preemptoff
# preemptoff latency trace v1.1.5 on 6.1.0
# latency: 1000 us, #2/500, CPU#1 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)
#    | task: bash-9 (uid:0 nice:0 policy:0 rt_prio:0)
#  => started at: schedule
#  => ended at:   mutex_unlock
    bash-9         1...1  900us : f <-g
    bash-9         1...1 1000us : h <-g
)");

  EXPECT_EQ(explanation.conclusion, Conclusion::kNotProvable);
  EXPECT_EQ(explanation.segments[0].kind, SegmentKind::kNotVisible);
  EXPECT_EQ(explanation.segments[0].length_ns, 900'000);
  EXPECT_EQ(explanation.segments[1].length_ns, 100'000);
}

TEST(ExplainLatencyTracer, AddsUpWhenLinesAreOutOfOrder) {
  const auto explanation = only(R"(# tracer: wakeup_rt
# wakeup_rt latency trace v1.1.5 on 6.1.0
# latency: 50 us, #3/3, CPU#1 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)
#    | task: rt-9 (uid:0 nice:0 policy:1 rt_prio:80)
  <idle>-0       1d.h.    0us : f <-g
  <idle>-0       2d.h.   40us : f <-g
  <idle>-0       1d.h.   30us : f <-g
)");

  int64_t sum = 0;
  for (const Segment& segment : explanation.segments) sum += segment.length_ns;
  EXPECT_EQ(sum, 50'000);
}

TEST(ExplainGraph, DoesNotTakeSleepForLatency) {
  const auto explanation = only(
      " 1)               |  do_nanosleep() {\n"
      " 1)               |    hrtimer_start() {\n"
      " 1)   1.919 us    |    }\n"
      " 1)               |    schedule() {\n"
      " 1)   11.006 us   |      xen_evtchn_do_upcall();\n"
      " 1)   1000149 us  |    }\n"
      " 1)   1000154 us  |  }\n");

  EXPECT_EQ(explanation.conclusion, Conclusion::kUnknown);
  EXPECT_FALSE(explanation.latency_ns.has_value());
  EXPECT_FALSE(explanation.cause.has_value());
  EXPECT_THAT(explanation.headline, Not(HasSubstr("nanosleep")));
  EXPECT_THAT(explanation.headline, HasSubstr("xen_evtchn_do_upcall() took 11.0 us"));
  EXPECT_THAT(explanation.notes, Contains(HasSubstr("sleeping is not latency")));
}

TEST(ExplainHwlat, NamesFirmware) {
  const auto explanation = only(
      "  <...>-3638  [001] d... 19452.055471: #1 inner/outer(us):   12/14    ts:1499801089.06\n"
      "  <...>-3638  [003] d... 19454.071354: #2 inner/outer(us):   110/9     ts:1499801091.08\n");

  EXPECT_EQ(explanation.latency_ns, 110'000);
  EXPECT_EQ(explanation.cause, SegmentKind::kMachineSilent);
  EXPECT_EQ(explanation.segments[0].cpu, 3);
}

TEST(ExplainPerfSched, NamesAProgramThatLooksLikeAKernelThread) {
  const auto explanation = only(
      "  Task        | Runtime ms  | Switches | Average delay ms | Maximum delay ms | Maximum "
      "delay at |\n"
      "  .koworker:(6)    | 0.000 ms | 64425 | avg: 0.137 ms | max: 16.086 ms | max at: 7.5 s\n"
      "  kworker/0:1:3211 | 0.000 ms |     4 | avg: 0.062 ms | max:  0.165 ms | max at: 7.5 s\n"
      "  cyclictest:(2)   | 0.000 ms | 11984 | avg: 0.022 ms | max:  4.619 ms | max at: 7.5 s\n");

  EXPECT_EQ(explanation.conclusion, Conclusion::kUnknown);
  EXPECT_EQ(explanation.latency_ns, 4'619'000);
  EXPECT_THAT(explanation.notes, Contains(HasSubstr(".koworker:(6) is not a kernel thread")));
  EXPECT_THAT(explanation.notes, Not(Contains(HasSubstr("kworker/0:1"))));
}

TEST(ExplanationText, LetsNoControlCharacterThrough) {
  const auto explanation = only(
      "bash\x1b[31m-1 [000] 1.000001: sched_switch: swapper/0:0 [120] R ==> bash\x1b[31m:1 "
      "[120]\n");

  const std::string text = explanation_text(explanation, {});

  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(ExplanationsJson, IsValidWhateverTheBytes) {
  const auto explanation = only(
      "ba\xff\xfesh-1 [000] 1.000001: sched_waking: comm=\xff pid=7 prio=10 target_cpu=000\n"
      "ba\xff\xfesh-1 [000] 1.000901: sched_switch: prev_comm=ba\xff\xfesh prev_pid=1 prev_prio=9 "
      "prev_state=S ==> next_comm=\xff next_pid=7 next_prio=10\n");

  const auto json = nlohmann::json::parse(explanations_json(std::span(&explanation, 1)).dump());

  const auto& one = json["explanations"][0];
  EXPECT_EQ(one["conclusion"], "explained");
  EXPECT_EQ(one["latency_us"], 900.0);
  EXPECT_EQ(one["cause"]["kind"], "higher_priority");
  EXPECT_EQ(one["segments"].size(), 1u);
}

}  // namespace
}  // namespace rtsweep
