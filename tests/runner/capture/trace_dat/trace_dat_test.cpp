// SPDX-License-Identifier: GPL-2.0-or-later

// Files as trace-cmd and rtsweep write them, in memory.

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runner/capture/trace_dat/dat_container.h"
#include "runner/capture/trace_dat/trace_dat_file.h"
#include "tests/support/result_matchers.h"
#include "tests/support/trace_dat_builder.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kTestDoNasty;
using testing::kTestInterrupt;
using testing::kTestNastyIoctl;
using ::testing::SizeIs;
using testing::TestTask;
using testing::TraceDatBuilder;

constexpr TestTask kIdle{"swapper/1", 0, 120};
constexpr TestTask kCyclictest{"cyclictest", 1000, 4};
constexpr TestTask kBash{"bash", 77, 120};
constexpr uint64_t kTimer = 0xffffc900005efb40;
constexpr uint64_t kBegin = 100'000'000'000;  // 100 s
constexpr uint64_t kExpiry = kBegin + 1'000'000;

Result<DatBytes> bytes_of(const std::string& content) {
  UniqueFd fd(::memfd_create("trace.dat", MFD_CLOEXEC));
  if (::write(fd.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
    return Error(Errc::kIo, "memfd");
  }
  return DatBytes::from_fd(std::move(fd), "trace.dat");
}

Result<std::vector<Trace>> traces_in(const std::string& content,
                                     const ExplainOptions& options = {}) {
  RTSWEEP_TRY(const DatBytes bytes, bytes_of(content));
  return read_trace_dat_apart(bytes, options);
}

Trace trace_in(const std::string& content, const ExplainOptions& options = {}) {
  auto traces = traces_in(content, options);
  EXPECT_THAT(traces, testing::IsOk());
  EXPECT_TRUE(traces && traces->size() == 1);
  return traces && !traces->empty() ? traces->front() : Trace{};
}

// bash keeps interrupts off for 300 us when cyclictest's timer expires: its way to running,
// on CPU 1, from `begin`, which is 1 ms before the expiry.
void add_late_wakeup(TraceDatBuilder& file, uint64_t begin) {
  const uint64_t expiry = begin + 1'000'000;
  const auto at = [](uint64_t time, int32_t pid, uint8_t flags, uint8_t depth) {
    return TraceDatBuilder::At{1, time, pid, flags, depth};
  };
  file.hrtimer_start(at(begin, 1000, 1, 2), kTimer, static_cast<int64_t>(expiry));
  file.sched_switch(at(begin + 5'000, 1000, 1, 2), kCyclictest, 1, kBash);
  file.local_timer_entry(at(expiry + 301'000, 77, 9, 0));
  file.kernel_stack(at(expiry + 301'000, 77, 9, 0),
                    {kTestInterrupt, kTestDoNasty + 0x10, kTestNastyIoctl + 0x20});
  file.hrtimer_expire_entry(at(expiry + 302'000, 77, 9, 1), kTimer,
                            static_cast<int64_t>(expiry + 301'500));
  file.sched_waking(at(expiry + 303'000, 77, 9, 2), kCyclictest, 1);
  file.hrtimer_expire_exit(at(expiry + 304'000, 77, 13, 1), kTimer);
  file.local_timer_exit(at(expiry + 305'000, 77, 13, 0));
  file.sched_switch(at(expiry + 308'000, 77, 1, 2), kBash, 0, kCyclictest);
}

std::string small_file() {
  TraceDatBuilder file(2);
  file.comm(77, "bash");
  file.comm(1000, "cyclictest");
  add_late_wakeup(file, kBegin);
  file.print({1, kExpiry + 315'000, 1000, 0, 0}, "hit latency threshold (310 > 50)");
  return file.finish();
}

TEST(TraceDat, GivesTheEventsAsTraceCmdPrintsThem) {
  const Trace trace = trace_in(small_file());

  ASSERT_THAT(trace.events, SizeIs(9));
  const TraceEvent& change = trace.events[1];
  EXPECT_EQ(change.name, "sched_switch");
  EXPECT_EQ(change.text,
            "prev_comm=cyclictest prev_pid=1000 prev_prio=4 prev_state=S ==> next_comm=bash "
            "next_pid=77 next_prio=120");
  EXPECT_EQ(change.comm, "cyclictest");
  EXPECT_EQ(change.pid, 1000);
  EXPECT_EQ(change.cpu, 1);
  EXPECT_EQ(change.time_ns, 100'000'005'000);
  EXPECT_EQ(change.flags, "d..2.");
  EXPECT_EQ(change.line, 2u);
  EXPECT_EQ(trace.events[2].flags, "d.h..");
  EXPECT_EQ(trace.events[6].flags, "dnh..");
  EXPECT_EQ(trace.events[8].text, "tracing_mark_write: hit latency threshold (310 > 50)");
}

TEST(TraceDat, GivesAStackToTheEventBeforeIt) {
  const Trace trace = trace_in(small_file());

  ASSERT_THAT(trace.events, SizeIs(9));
  EXPECT_THAT(trace.events[2].stack, ElementsAre("asm_sysvec_apic_timer_interrupt",
                                                 "do_nasty [nasty]", "nasty_ioctl [nasty]"));
  EXPECT_THAT(trace.events[3].stack, IsEmpty());
}

TEST(TraceDat, SaysWhatMachineAndClockItIsOf) {
  const Trace trace = trace_in(small_file());

  EXPECT_EQ(trace.source, "trace.dat");
  EXPECT_EQ(trace.release, "6.1.0-rt-test");
  EXPECT_EQ(trace.clock, "mono");
  EXPECT_EQ(trace.cpu_count, 2u);
  EXPECT_FALSE(trace.is_window);
}

TEST(TraceDat, IsExplainedFromItsProgrammedExpiry) {
  const Explanation explanation = explain(trace_in(small_file()));

  EXPECT_EQ(explanation.conclusion, Conclusion::kExplained);
  EXPECT_EQ(explanation.cause, SegmentKind::kIrqsOff);
  EXPECT_EQ(explanation.cause_who, "bash-77 (nice 0) in do_nasty [nasty] <- nasty_ioctl [nasty]");
  EXPECT_EQ(explanation.latency_ns, 310'000);
  EXPECT_EQ(explanation.latency_of, "from programmed expiry to running");
}

TEST(TraceDat, KeepsTheOrderOfTimeOverAllCpus) {
  TraceDatBuilder file(2);
  file.print({0, 2'000, 5, 0, 0}, "second");
  file.print({1, 1'000, 6, 0, 0}, "first");
  file.print({1, 3'000, 6, 0, 0}, "third");

  const Trace trace = trace_in(file.finish());

  ASSERT_THAT(trace.events, SizeIs(3));
  EXPECT_THAT(trace.events[0].text, HasSubstr("first"));
  EXPECT_THAT(trace.events[1].text, HasSubstr("second"));
  EXPECT_THAT(trace.events[2].text, HasSubstr("third"));
  EXPECT_EQ(trace.events[2].line, 3u);
}

TEST(TraceDat, KeepsLongPausesAndLongTexts) {
  TraceDatBuilder file(1);
  const std::string text(1'000, 'x');
  file.print({0, 5, 1, 0, 0}, "a");
  file.print({0, 60'000'000'005, 1, 0, 0}, text);

  const Trace trace = trace_in(file.finish());

  ASSERT_THAT(trace.events, SizeIs(2));
  EXPECT_EQ(trace.events[1].time_ns, 60'000'000'005);
  EXPECT_EQ(trace.events[1].text, "tracing_mark_write: " + text);
}

TEST(TraceDat, SaysWhereEventsWereLost) {
  TraceDatBuilder file(1);
  file.print({0, 1'000, 1, 0, 0}, "before");
  file.lose(0, 42);
  file.print({0, 2'000, 1, 0, 0}, "after");

  const Trace trace = trace_in(file.finish());

  ASSERT_THAT(trace.lost, SizeIs(1));
  EXPECT_EQ(trace.lost[0].cpu, 0);
  EXPECT_EQ(trace.lost[0].count, 42u);
  EXPECT_EQ(trace.lost[0].line, 2u);
  EXPECT_EQ(trace.events[1].line, 3u);
}

TEST(TraceDat, NamesTheCallersThatPreemptirqGivesAsOffsets) {
  TraceDatBuilder file(1);
  file.event({0, 1'000, 77, 1, 0}, 480,
             testing::Bytes().number(int32_t{0x1010}).number(int32_t{0x2020}).take());

  const Trace trace = trace_in(file.finish());

  EXPECT_EQ(trace.events.at(0).text, "caller=do_nasty+0x10 parent=nasty_ioctl+0x20");
}

TEST(TraceDat, GivesTimerlatAsTheKernelPrintsIt) {
  TraceDatBuilder file(1);
  file.timerlat({0, 1'000'000, 0, 9, 1}, 12, 0, 5'000);
  file.timerlat({0, 2'000'000, 80, 0, 0}, 12, 1, 11'700);

  const Trace trace = trace_in(file.finish());

  EXPECT_EQ(trace.events.at(0).text, "#12 context irq timer_latency 5000 ns");
  EXPECT_EQ(trace.events.at(1).text, "#12 context thread timer_latency 11700 ns");
}

// A file past the size that is read as a whole: an uneventful hour around an outlier.
class LargeFile {
 public:
  LargeFile() : file_(2) {
    file_.comm(77, "bash");
    file_.comm(1000, "cyclictest");
  }

  // Pages of both CPUs: a print and a wake-up of 8 us each 100 us.
  void uneventful(uint64_t begin, size_t periods) {
    for (size_t i = 0; i < periods; ++i) {
      const uint64_t time = begin + i * 100'000;
      file_.print({0, time, 5, 0, 0}, std::string(60, 'x'));
      file_.sched_waking({1, time, 0, 9, 2}, kCyclictest, 1);
      file_.sched_switch({1, time + 8'000, 0, 1, 2}, kIdle, 0, kCyclictest);
      file_.sched_switch({1, time + 20'000, 1000, 1, 2}, kCyclictest, 1, kIdle);
    }
  }

  TraceDatBuilder& file() { return file_; }

 private:
  TraceDatBuilder file_;
};

constexpr size_t kMany = 30'000;  // periods: 3 s, 7 MB

TEST(TraceDatWindow, ReadsOnlyAroundTheMark) {
  LargeFile large;
  large.uneventful(kBegin - 3'100'000'000, kMany);
  add_late_wakeup(large.file(), kBegin);
  large.file().print({1, kExpiry + 315'000, 1000, 0, 0}, "hit latency threshold (310 > 50)");
  large.uneventful(kExpiry + 2'000'000, 100);

  const Trace trace = trace_in(large.file().finish());

  EXPECT_TRUE(trace.is_window);
  EXPECT_LT(trace.events.size(), 5'000u);
  EXPECT_EQ(explain(trace).latency_ns, 310'000);
}

TEST(TraceDatWindow, FindsAnUnmarkedOutlierByItsProgrammedExpiry) {
  LargeFile large;
  large.uneventful(kBegin - 100'000'000, 900);
  add_late_wakeup(large.file(), kBegin);
  large.uneventful(kExpiry + 2'000'000, kMany);

  const Trace trace = trace_in(large.file().finish());

  EXPECT_TRUE(trace.is_window);
  EXPECT_LT(trace.events.size(), 5'000u);
  const Explanation explanation = explain(trace);
  EXPECT_EQ(explanation.latency_ns, 308'000);
  EXPECT_EQ(explanation.latency_of, "from programmed expiry to the context switch");
}

TEST(TraceDatWindow, GoesBackToTheProgrammingOfTheTimer) {
  LargeFile large;
  large.uneventful(kBegin, kMany);
  TraceDatBuilder& file = large.file();
  const uint64_t armed = kBegin + kMany * 100'000;
  const uint64_t woken = armed + 500'000'000;
  file.hrtimer_start({1, armed, 1000, 1, 2}, kTimer, static_cast<int64_t>(woken));
  large.uneventful(armed + 1'000'000, 4'000);
  file.hrtimer_expire_entry({1, woken + 90'000, 77, 9, 1}, kTimer,
                            static_cast<int64_t>(woken + 90'000));
  file.sched_waking({1, woken + 91'000, 77, 9, 2}, kCyclictest, 1);
  file.hrtimer_expire_exit({1, woken + 92'000, 77, 9, 2}, kTimer);
  file.sched_switch({1, woken + 95'000, 77, 1, 2}, kBash, 0, kCyclictest);
  file.print({1, woken + 101'000, 1000, 0, 0}, "hit latency threshold (98 > 50)");

  const Explanation explanation = explain(trace_in(file.finish()));

  EXPECT_EQ(explanation.latency_of, "from programmed expiry to running");
  EXPECT_EQ(explanation.latency_ns, 98'000);
}

TEST(TraceDatWindow, ReadsAroundALatencyThatIsKnown) {
  LargeFile large;
  large.uneventful(kBegin - 100'000'000, 900);
  add_late_wakeup(large.file(), kBegin);
  large.uneventful(kExpiry + 2'000'000, kMany);
  const ExplainOptions options{
      .known = KnownLatency{.latency_us = 312, .end_ns = kExpiry + 312'000, .pid = 1000}};

  const Explanation explanation = explain(trace_in(large.file().finish(), options), options);

  EXPECT_EQ(explanation.latency_ns, 312'000);
  ASSERT_THAT(explanation.segments, ::testing::Not(IsEmpty()));
  EXPECT_EQ(explanation.segments.back().kind, SegmentKind::kRunning);
  EXPECT_EQ(explanation.segments.back().length_ns, 4'000);
}

// Hostile and damaged files.

TEST(TraceDatDamage, NamesTheFileAndThePlace) {
  const std::string whole = small_file();

  EXPECT_THAT(traces_in(whole.substr(0, 14)),
              FailsWith(Errc::kBadData, "trace.dat: not a whole trace.dat: it ends before"));
  EXPECT_THAT(traces_in(whole.substr(0, 5'000)),
              FailsWith(Errc::kBadData, "trace.dat: not a whole trace.dat"));
  EXPECT_THAT(traces_in(std::string("\x17\x08\x44tracing9\0 123456", 19)),
              FailsWith(Errc::kNotSupported, "version 9"));
  EXPECT_THAT(traces_in(""), FailsWith(Errc::kBadData, "no magic number"));
}

TEST(TraceDatDamage, ReadsWhatIsThereOfAFileThatIsCutOff) {
  const std::string whole = small_file();

  EXPECT_THAT(traces_in(whole.substr(0, whole.size() - 4'096)),
              FailsWith(Errc::kBadData, "a trace.dat without events"));
}

// A byte in turn has its bits turned over, in the formats, the head and the pages.
TEST(TraceDatDamage, NeverEndsTheProgram) {
  const std::string whole = small_file();

  for (size_t i = 0; i < whole.size(); i += 31) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(~damaged[i]);
    const auto bytes = bytes_of(damaged);
    ASSERT_THAT(bytes, testing::IsOk());
    const auto traces = read_trace_dat_apart(*bytes, {});
    if (!traces) {
      EXPECT_THAT(traces.error().message(), HasSubstr("trace.dat"));
    }
  }
}

}  // namespace
}  // namespace rtsweep
