// SPDX-License-Identifier: GPL-2.0-or-later

// Traces of others, against what the threads that they come from concluded (meta.md of each).

#include <gmock/gmock.h>

#include <filesystem>

#include "analysis/trace/explain.h"
#include "analysis/trace/explanation_text.h"
#include "runner/base/files.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

std::filesystem::path corpus(const std::string& file) {
  return std::filesystem::path(RTSWEEP_CORPUS_DIR) / file;
}

#define SKIP_WITHOUT(file)                                                  \
  if (!std::filesystem::exists(file)) {                                     \
    GTEST_SKIP() << "needs the corpus of real inputs: " << (file).string(); \
  }

std::vector<Explanation> explanations_of(const std::filesystem::path& file) {
  auto text = read_file(file);
  if (!text) return {};
  auto explanations = explain_text(*text, file.filename().string());
  EXPECT_THAT(explanations, testing::IsOk());
  return explanations ? *explanations : std::vector<Explanation>{};
}

int64_t sum_of(const Explanation& explanation) {
  int64_t sum = 0;
  for (const Segment& segment : explanation.segments) sum += segment.length_ns;
  return sum;
}

TEST(TraceCorpus, B09FlagsTheRogueProcess) {
  const auto file = corpus("B09-perf-sched-latency-rogue-process/non-rt-latency1.txt");
  SKIP_WITHOUT(file);

  const auto found = explanations_of(file);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].latency_ns, 4'619'000);
  EXPECT_THAT(found[0].headline, HasSubstr("11984 switches"));
  EXPECT_THAT(found[0].notes, Contains(AllOf(HasSubstr(".koworker:(6)"), HasSubstr("64425"),
                                             HasSubstr("contaminated"))));
}

TEST(TraceCorpus, C05IsBlockCompletionInASoftirqWhoseBeginIsLost) {
  const auto file = corpus("C05-preemptoff-mmc-softirq-1s/trace.txt");
  SKIP_WITHOUT(file);

  const auto found = explanations_of(file);

  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].latency_ns, 1'130'504'000);
  EXPECT_EQ(sum_of(found[0]), 1'130'504'000);
  EXPECT_EQ(found[0].cause, SegmentKind::kSoftirq);
  EXPECT_THAT(found[0].headline, AllOf(HasSubstr("block I/O completion"), HasSubstr("ksoftirqd/3"),
                                       HasSubstr("__do_softirq")));
  EXPECT_EQ(found[0].conclusion, Conclusion::kNotProvable);
  EXPECT_EQ(found[0].segments[0].kind, SegmentKind::kNotVisible);
  EXPECT_EQ(found[0].segments[0].length_ns, 1'055'999'000);
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("49282165 were overwritten")));
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("about 1.4 us a line")));
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("need-resched was set")));
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("not PREEMPT_RT")));
  EXPECT_EQ(found[1].source, "trace.txt:256");
  EXPECT_EQ(found[1].latency_ns, 37'647'000);
  EXPECT_THAT(found[1].headline, AllOf(HasSubstr("kworker/1:1H-117"), HasSubstr("CPU 1")));
}

TEST(TraceCorpus, C11IsNotProvableFromTheExcerpt) {
  const auto file = corpus("C11-events-nohz-softirq-pending/mail-excerpt.txt");
  SKIP_WITHOUT(file);

  const auto found = explanations_of(file);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].conclusion, Conclusion::kNotProvable);
  EXPECT_THAT(found[0].headline, HasSubstr("evidence is missing"));
  EXPECT_THAT(found[0].notes,
              Contains(AllOf(HasSubstr("raised in it: SCHED, RCU;"), HasSubstr("NET_RX"))));
}

TEST(TraceCorpus, C12IsABoostInversionBehindLostEventsOfAllCpus) {
  const auto file = corpus("C12-ftrace-dump-in-dmesg-286k/dmesg-ftrace-dump.txt");
  SKIP_WITHOUT(file);

  const auto found = explanations_of(file);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].conclusion, Conclusion::kNotProvable);
  EXPECT_THAT(found[0].headline, HasSubstr("Boost inversion persisted: No QS from CPU 3"));
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("LOST EVENTS on 16 CPUs (CPU 0: 26252193)")));
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("two clocks")));
  std::vector<std::string> lines;
  for (const EvidenceLine& line : found[0].evidence) lines.push_back(line.text);
  // Kernel priority 139, never boosted.
  EXPECT_THAT(lines, Contains(AllOf(HasSubstr("rcu_torture_rea-158 (nice 19)"), HasSubstr("R+"))));
}

TEST(TraceCorpus, C14NamesNoSleepAsTheCulprit) {
  const auto file = corpus("C14-function_graph-examples/funcgraph_example.txt");
  SKIP_WITHOUT(file);

  const auto found = explanations_of(file);

  ASSERT_THAT(found, SizeIs(6)) << "six traces with prose and prompts in between";
  for (const Explanation& one : found) {
    EXPECT_EQ(one.conclusion, Conclusion::kUnknown);
    EXPECT_FALSE(one.cause.has_value());
    EXPECT_THAT(one.headline, AllOf(Not(HasSubstr("nanosleep")), Not(HasSubstr("schedule()"))));
  }
  EXPECT_THAT(found[1].notes, Contains(AllOf(HasSubstr("do_nanosleep() lasted 1000154 us"),
                                             HasSubstr("sleeping is not latency"))));
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("1 context switch")));
}

TEST(TraceCorpus, C15HasTheHeadersValues) {
  const auto file = corpus("C15-kernel-doc-latency-tracers/ftrace-latency-section.txt");
  SKIP_WITHOUT(file);

  const auto found = explanations_of(file);

  std::vector<std::pair<std::string, int64_t>> values;
  for (const Explanation& one : found) {
    EXPECT_EQ(one.conclusion, Conclusion::kExplained) << one.source;
    EXPECT_EQ(sum_of(one), one.latency_ns) << one.source;
    values.emplace_back(one.subject.substr(0, one.subject.find(' ')),
                        one.latency_ns.value_or(0) / 1'000);
  }
  const std::vector<std::pair<std::string, int64_t>> expected = {
      {"irqsoff", 16},         {"irqsoff", 71},         {"preemptoff", 46}, {"preemptoff", 83},
      {"preemptirqsoff", 100}, {"preemptirqsoff", 161}, {"wakeup", 15},     {"wakeup_rt", 5},
      {"wakeup_rt", 29},       {"wakeup_rt", 6},        {"hwlat", 14}};
  EXPECT_EQ(values, expected);
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("16 us count, not the last line's 25 us")));
  EXPECT_THAT(found[1].headline, HasSubstr("ata_scsi_queuecmd"));
  EXPECT_THAT(found[1].notes, Contains(HasSubstr("function tracer was on")));
  EXPECT_THAT(found[7].headline, HasSubstr("sleep-2389 (RT priority 5)"));
}

TEST(TraceCorpus, C16IsNotUsableForTheAnalysisOfAWakeUp) {
  const auto file = corpus("C16-binary-trace-dat-v6-no-sched-events/report-head.txt");
  SKIP_WITHOUT(file);

  const auto found = explanations_of(file);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].conclusion, Conclusion::kUnknown);
  EXPECT_THAT(found[0].headline, HasSubstr("Not usable for the analysis of a wake-up"));
  EXPECT_THAT(found[0].next, Contains(HasSubstr("-e sched -e irq")));
}

TEST(TraceCorpus, E03IsNotTheSchedulersBusiness) {
  const auto file = corpus("E03-n97-usb-audio-xruns-cyclictest-fine/thread.txt");
  SKIP_WITHOUT(file);

  const auto found = explanations_of(file);

  ASSERT_FALSE(found.empty());
  for (const Explanation& one : found) {
    EXPECT_EQ(one.conclusion, Conclusion::kUnknown);
    EXPECT_THAT(one.notes, Contains(HasSubstr("xhci_")));
  }
}

TEST(TraceCorpus, E09IsIdleInjection) {
  const auto file = corpus("E09-idle-injection-delays-softirq-24ms/patch-description.txt");
  SKIP_WITHOUT(file);

  const auto found = explanations_of(file);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].conclusion, Conclusion::kExplained);
  EXPECT_EQ(found[0].cause, SegmentKind::kHigherPriority);
  EXPECT_EQ(found[0].cause_who, "idle_inject/4-37 (RT priority 50)");
  // 207.112134 - 207.087742 to the switch, 24.400 ms to the softirq.
  EXPECT_EQ(found[0].latency_ns, 24'392'000);
  EXPECT_EQ(sum_of(found[0]), 24'392'000);
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("NET_RX was entered 24400 us")));
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("intel_powerclamp")));
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("#08 is NET_RX")));
}

TEST(TraceCorpus, E11DecodesThePendingSoftirqs) {
  const auto file = corpus("E11-rndis-gadget-rt-throttling-curl-mixed/thread.txt");
  SKIP_WITHOUT(file);

  const auto found = explanations_of(file);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].conclusion, Conclusion::kUnknown);
  EXPECT_THAT(found[0].evidence[0].text, HasSubstr("[ 23.002846] sched: RT throttling activated"));
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("#80 is SCHED")));
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("#180 is SCHED and HRTIMER")));
}

TEST(TraceCorpus, E12LinksThrottlingToTheThreadsOfInterrupts) {
  const auto file = corpus("E12-ath11k-irq-storm-rt-throttling/thread.txt");
  SKIP_WITHOUT(file);

  const auto found = explanations_of(file);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("/proc/interrupts")));
}

TEST(TraceCorpus, E02HoldsNoTrace) {
  const auto file = corpus("E02-e1000e-posted-pcie-writes-50us/thread.txt");
  SKIP_WITHOUT(file);
  const auto text = read_file(file);
  ASSERT_THAT(text, testing::IsOk());

  EXPECT_THAT(explain_text(*text, "thread.txt"),
              testing::FailsWith(Errc::kBadData, "thread.txt:71: no trace"));
}

// Cut anywhere and with garbage in it: an explanation that adds up, or an error that names
// the file; and a text that a terminal takes.
void expect_sound(std::string_view text) {
  const auto explanations = explain_text(text, "cut");
  if (!explanations) {
    EXPECT_EQ(explanations.error().message().rfind("cut:", 0), 0u)
        << explanations.error().message();
    return;
  }
  for (const Explanation& one : *explanations) {
    EXPECT_FALSE(one.headline.empty());
    EXPECT_TRUE(one.segments.empty() || sum_of(one) == one.latency_ns) << one.headline;
    for (const Segment& segment : one.segments) EXPECT_GT(segment.length_ns, 0);
    EXPECT_FALSE(explanation_text(one, {}).empty());
  }
}

class DamagedCorpus : public ::testing::TestWithParam<const char*> {};

TEST_P(DamagedCorpus, IsReadOrRefusedWhereverItIsCut) {
  const auto file = corpus(GetParam());
  SKIP_WITHOUT(file);
  const auto read = read_file(file);
  ASSERT_THAT(read, testing::IsOk());
  // The first lines hold every form of the file; the cuts are at every 37th byte of them.
  const std::string text = read->substr(0, 6'000);
  for (size_t end = 0; end < text.size(); end += 37) expect_sound(text.substr(0, end));
  for (size_t begin = 0; begin < text.size(); begin += 97) expect_sound(text.substr(begin));
}

TEST_P(DamagedCorpus, IsReadOrRefusedWithGarbageInIt) {
  const auto file = corpus(GetParam());
  SKIP_WITHOUT(file);
  const auto read = read_file(file);
  ASSERT_THAT(read, testing::IsOk());
  uint32_t state = 1;  // a fixed sequence: a failure can be repeated
  const auto next = [&state] { return state = state * 1'664'525 + 1'013'904'223; };
  for (int round = 0; round < 60; ++round) {
    std::string text = read->substr(0, 6'000);
    for (int byte = 0; byte < 40 && !text.empty(); ++byte) {
      text[next() % text.size()] = static_cast<char>(next() >> 24);
    }
    expect_sound(text);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Traces, DamagedCorpus,
    ::testing::Values("C05-preemptoff-mmc-softirq-1s/trace.txt",
                      "C11-events-nohz-softirq-pending/mail-excerpt.txt",
                      "C12-ftrace-dump-in-dmesg-286k/dmesg-ftrace-dump.txt",
                      "C14-function_graph-examples/funcgraph_example.txt",
                      "C15-kernel-doc-latency-tracers/ftrace-latency-section.txt",
                      "C16-binary-trace-dat-v6-no-sched-events/trace.dat.xz",
                      "B09-perf-sched-latency-rogue-process/non-rt-latency1.txt",
                      "E09-idle-injection-delays-softirq-24ms/patch-description.txt"));

}  // namespace
}  // namespace rtsweep
