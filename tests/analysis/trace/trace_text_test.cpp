// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/trace_text.h"

#include <gmock/gmock.h>

#include "analysis/trace/event_line.h"
#include "analysis/trace/graph_line.h"
#include "analysis/trace/sched_events.h"
#include "analysis/trace/softirq_names.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::SizeIs;

TEST(EventLine, HasTaskCpuFlagsTimeNameAndText) {
  const auto event = parse_event_line(
      "            bash-1994    [001] dNh2.  7542.703768: irq_handler_entry: irq=42 name=eth0");

  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->comm, "bash");
  EXPECT_EQ(event->pid, 1994);
  EXPECT_EQ(event->cpu, 1);
  EXPECT_EQ(event->time_ns, 7'542'703'768'000);
  EXPECT_EQ(event->name, "irq_handler_entry");
  EXPECT_EQ(event->text, "irq=42 name=eth0");
  EXPECT_TRUE(event->irqs_off() && event->need_resched() && event->in_hardirq());
  EXPECT_FALSE(event->in_softirq());
  EXPECT_EQ(event->preempt_depth(), 2);
}

TEST(EventLine, HasNoFlagsWhereTheTraceHasNoneAndNanosecondsWhereItHasThem) {
  const auto event = parse_event_line(
      "ksoftirqd/4-39   [004] 207.112142123: softirq_entry: vec=3 [action=NET_RX]");

  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->time_ns, 207'112'142'123);
  EXPECT_EQ(event->flags, "");
  EXPECT_FALSE(event->preempt_depth().has_value());
}

TEST(EventLine, SplitsTheTaskAtItsLastDash) {
  const auto event = parse_event_line(
      "  MediaPD~der #28-14000   [000] d..1.  7542.703768: hrtimer_cancel: hrtimer=000000008d");

  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->comm, "MediaPD~der #28");
  EXPECT_EQ(event->pid, 14000);
}

TEST(EventLine, SkipsTheThreadGroup) {
  const auto event = parse_event_line("  bash-1994    ( 1990) [001] .....  1.5: my_event: x");

  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->comm, "bash");
  EXPECT_EQ(event->pid, 1994);
  EXPECT_EQ(event->time_ns, 1'500'000'000);
}

TEST(EventLine, ReadsTheLatencyFormat) {
  const auto event = parse_event_line("  <idle>-0       3dNs7    12us+: irq_exit <-do_IRQ");

  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->comm, "<idle>");
  EXPECT_EQ(event->cpu, 3);
  EXPECT_EQ(event->time_ns, 12'000);
  EXPECT_EQ(event->name, "function");
  EXPECT_TRUE(event->irqs_off() && event->need_resched() && event->in_softirq());
}

TEST(EventLine, ReadsTheVerboseLatencyFormat) {
  // trace_flag_type: 1 irqs off, 4 need-resched, 8 hardirq, 16 softirq.
  const auto event = parse_event_line(
      "            bash  4251 1 13 00000002 0000002a [00000b6c] 0.012ms (+0.003ms): irq_exit "
      "(do_IRQ)");

  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->pid, 4251);
  EXPECT_EQ(event->cpu, 1);
  EXPECT_EQ(event->time_ns, 12'000);
  EXPECT_EQ(event->flags, "dNh2");
}

TEST(EventLine, ReadsTheColumnsOfAnRtPatchQueue) {
  // irqs-off, need-resched, need-resched-lazy, hardirq, preempt-depth, lazy-depth, migrate.
  const auto event = parse_event_line("  bash-77  [001] d..h2..  1.000001: my_event: x");

  ASSERT_TRUE(event.has_value());
  EXPECT_TRUE(event->in_hardirq());
  EXPECT_EQ(event->preempt_depth(), 2);
}

TEST(EventLine, IsNothingElse) {
  for (const char* line :
       {"", "cat trace", "a-1 [1", "-1 [000] 1.0: x", "a-b [000] 1.0: x", "a-1 [000] 1.x: y",
        "[10363.660761] Dumping ftrace buffer:", "a-1 [99999999999999999999] 1.0: x",
        "x-1 [000] 99999999999999999999.1: y", " => do_IRQ"}) {
    EXPECT_FALSE(parse_event_line(line).has_value()) << line;
  }
}

TEST(SchedSwitch, HasCommsWithBlanksAndTheStateOfAPreemptedThread) {
  TraceEvent event{.name = "sched_switch"};
  event.text =
      "prev_comm=IPC I/O Child prev_pid=6029 prev_prio=120 prev_state=R+ ==> next_comm=a=b c "
      "next_pid=7 next_prio=97";

  const auto change = sched_switch(event);

  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->prev.comm, "IPC I/O Child");
  EXPECT_TRUE(change->prev_runnable());
  EXPECT_EQ(change->next.comm, "a=b c");
  EXPECT_EQ(task_text(change->next), "a=b c-7 (RT priority 2)");
}

TEST(SchedSwitch, IsEmptyWhenDamaged) {
  TraceEvent event{.name = "sched_switch"};
  for (const char* text :
       {"", "prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==>",
        "prev_comm=a prev_pid=x prev_prio=1 prev_state=S ==> next_comm=b next_pid=2",
        "==> b:1 [120]"}) {
    event.text = text;
    EXPECT_FALSE(sched_switch(event).has_value()) << text;
  }
}

TEST(Softirqs, AreDecodedFromTheHexadecimalMask) {
  EXPECT_EQ(pending_mask("NOHZ tick-stop error: softirq work is pending, handler #180!!!"), 0x180);
  EXPECT_THAT(softirqs_of_mask(0x180), ElementsAre(7, 8));
  EXPECT_EQ(softirq_name(7), "SCHED");
  EXPECT_EQ(softirq_name(3), "NET_RX");
}

TEST(GraphLine, HasItsColumnsWhicheverThereAre) {
  const auto timed = parse_graph_line(
      "7238523.638013 |   0)   bash-5363  | + 10.153 us   |      rcu_irq_enter();");
  ASSERT_TRUE(timed.has_value());
  EXPECT_EQ(timed->duration_ns, 10'153);
  EXPECT_EQ(timed->time_ns, 7'238'523'638'013'000);
  EXPECT_EQ(timed->depth, 2u);
  EXPECT_EQ(timed->function, "rcu_irq_enter");

  const auto bare = parse_graph_line(" 1)   do_filp_open() {");
  ASSERT_TRUE(bare.has_value());
  EXPECT_EQ(bare->kind, GraphLine::Kind::kOpen);
  EXPECT_EQ(bare->depth, 1u);

  const auto change = parse_graph_line(" 0)  platfor-3210  =>  vmstat-2854  ");
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->kind, GraphLine::Kind::kSwitch);
}

TEST(TraceText, JoinsTheLinesThatAMailProgramBroke) {
  const auto traces = parse_trace(
      "> ksoftirq-27        3dNs2 1056041us : __wake_up_locked_key_bookmark_and_more\n"
      "> <-wake_up_page_bit\n"
      "> ksoftirq-27        3dNs2 1056042us : f <-g\n",
      "mail");

  ASSERT_THAT(traces, testing::IsOk());
  const auto& events = traces->front().events;
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].text, "__wake_up_locked_key_bookmark_and_more <-wake_up_page_bit");
  EXPECT_EQ(events[0].name, "function");
  EXPECT_EQ(events[1].line, 3u);
}

TEST(TraceText, DoesNotJoinProseToAShortLine) {
  const auto traces = parse_trace("a-1 [000] 1.000001: my_event: x\nIt is bad.\n", "mail");

  ASSERT_THAT(traces, testing::IsOk());
  EXPECT_EQ(traces->front().events[0].text, "x");
}

TEST(TraceText, TakesPrintksTimeAndLevelOff) {
  const auto traces = parse_trace(
      "<4>[10363.663] Dumping ftrace buffer:\n"
      "<4>[10363.664][  T123] ---------------------------------\n"
      "Oct  6 13:44:53 host kernel: [10363.665] CPU:1 [LOST 7 EVENTS]\n"
      "[10363.666]   rcub/7-17        1d..2. 10347723905us : my_event: x\n"
      "[10363.667] ---------------------------------\n"
      "[10363.668] Dumping ftrace buffer:\n"
      "[10363.669]    (ftrace buffer empty)\n",
      "dmesg");

  ASSERT_THAT(traces, testing::IsOk());
  ASSERT_THAT(*traces, SizeIs(1));
  const Trace& trace = traces->front();
  EXPECT_TRUE(trace.from_dump);
  ASSERT_THAT(trace.lost, SizeIs(1));
  EXPECT_EQ(trace.lost[0].count, 7u);
  ASSERT_THAT(trace.events, SizeIs(1));
  EXPECT_EQ(trace.events[0].time_ns, 10'347'723'905'000);
}

TEST(TraceText, ReadsTheHeaderOfALatencyTracer) {
  const auto traces = parse_trace(R"(# tracer: wakeup_rt
#
# wakeup_rt latency trace v1.1.5 on 6.12.0-rt
# --------------------------------------------------------------------
# latency: 29 us, #85/90, CPU#3 | (M:preempt_rt VP:0, KP:0, SP:0 HP:0 #P:4)
#    -----------------
#    | task: sleep-2448 (uid:0 nice:0 policy:1 rt_prio:5)
#    -----------------
  <idle>-0       3d.h4    1us+:      0:120:R   + [003]  2448: 94:R sleep
  <idle>-0       3d..3   30us :      0:120:R ==> [003]  2448: 94:R sleep
)",
                                  "t");

  ASSERT_THAT(traces, testing::IsOk());
  const Trace& trace = traces->front();
  ASSERT_TRUE(trace.header.has_value());
  EXPECT_EQ(trace.header->latency_us, 29);
  EXPECT_EQ(trace.header->shown, 85u);
  EXPECT_EQ(trace.header->written, 90u);
  EXPECT_EQ(trace.header->cpu, 3);
  EXPECT_EQ(trace.header->task, "sleep");
  EXPECT_EQ(trace.header->pid, 2448);
  EXPECT_EQ(trace.header->rt_priority, 5);
  EXPECT_EQ(trace.header->preemption, "preempt_rt");
  EXPECT_EQ(trace.release, "6.12.0-rt");
  ASSERT_TRUE(sched_switch(trace.events[1]).has_value());
  EXPECT_EQ(sched_switch(trace.events[1])->next.priority, 94);
}

TEST(TraceText, BeginsAnotherTraceWhereTheClockGoesBack) {
  const auto traces = parse_trace(
      "a-1 [000] 5.000001: my_event: x\na-1 [000] 5.000002: my_event: x\n"
      "a-1 [000] 1.000001: my_event: x\n",
      "two.txt");

  ASSERT_THAT(traces, testing::IsOk());
  ASSERT_THAT(*traces, SizeIs(2));
  EXPECT_EQ((*traces)[1].source, "two.txt:3");
}

TEST(TraceText, SaysWhereItFoundNothing) {
  EXPECT_THAT(parse_trace("", "empty"), FailsWith(Errc::kBadData, "empty:1: no trace"));
  EXPECT_THAT(parse_trace("Hello\nworld\n", "mail"), FailsWith(Errc::kBadData, "mail:2: no trace"));
  EXPECT_THAT(parse_trace(std::string("a\n\0b\n", 5), "bin"),
              FailsWith(Errc::kBadData, "bin:2: binary data"));
}

}  // namespace
}  // namespace rtsweep
