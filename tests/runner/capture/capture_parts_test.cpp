// SPDX-License-Identifier: GPL-2.0-or-later

// The parts of capturing that need no tracefs: pages, the trigger's events, which traces
// are kept, kernel symbols, hits of late wakeups.

#include <gmock/gmock.h>

#include <cstring>

#include "runner/capture/kernel_symbols.h"
#include "runner/capture/outlier_files.h"
#include "runner/capture/outlier_trigger.h"
#include "runner/capture/ring_pages.h"
#include "runner/capture/saved_traces.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::IsOk;
using ::testing::Not;
using ::testing::SizeIs;

// events/header_page of Debian's 6.1.0-50-rt-amd64 and of its armmp kernel.
constexpr char kHeader64[] =
    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
    "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
constexpr char kHeader32[] =
    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
    "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
    "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n";

TEST(HeaderPage, TellsTheLayoutOfBothBitnesses) {
  const auto wide = parse_header_page(kHeader64);
  ASSERT_THAT(wide, IsOk());
  EXPECT_EQ(*wide, (RingPageLayout{.page_bytes = 4096, .long_bytes = 8, .data_offset = 16}));
  const auto narrow = parse_header_page(kHeader32);
  ASSERT_THAT(narrow, IsOk());
  EXPECT_EQ(*narrow, (RingPageLayout{.page_bytes = 4096, .long_bytes = 4, .data_offset = 12}));
}

TEST(HeaderPage, RefusesWhatIsNone) {
  EXPECT_THAT(parse_header_page(""), Not(IsOk()));
  EXPECT_THAT(parse_header_page("field: local_t commit; offset:8; size:16; signed:1;"),
              Not(IsOk()));
}

constexpr RingPageLayout kSmall{.page_bytes = 32, .long_bytes = 8, .data_offset = 16};

std::string page_at(uint64_t time, uint32_t in_use = 16) {
  std::string page(kSmall.page_bytes, '\0');
  std::memcpy(page.data(), &time, sizeof time);
  std::memcpy(page.data() + 8, &in_use, sizeof in_use);
  return page;
}

TEST(RingPages, KeepTheOnePageThatWasOpenWhenTheWindowBegan) {
  std::string pages = page_at(100) + page_at(200) + page_at(300) + page_at(400);
  drop_pages_before(pages, 300, kSmall);  // 300 begins with it: 300 and 400 have all of it
  ASSERT_EQ(pages.size(), 2 * kSmall.page_bytes);
  EXPECT_EQ(page_time(pages), 300U);

  pages = page_at(100) + page_at(200) + page_at(300);
  drop_pages_before(pages, 250, kSmall);
  EXPECT_EQ(page_time(pages), 200U);

  drop_pages_before(pages, 50, kSmall);  // all of it is younger
  EXPECT_EQ(pages.size(), 2 * kSmall.page_bytes);
}

// Bit 31 of the bytes in use. The first page always follows on overwritten ones.
TEST(RingPages, KnowAHoleInTheMiddle) {
  const uint32_t missed = uint32_t{1} << 31;
  EXPECT_FALSE(has_lost_events(page_at(1, 16 | missed) + page_at(2), kSmall));
  EXPECT_TRUE(has_lost_events(page_at(1) + page_at(2, 16 | missed), kSmall));
}

// As trace_pipe of Debian's 6.1.0-50-rt-amd64 printed it.
TEST(LateWakeup, IsReadFromTracePipe) {
  const auto late = parse_late_wakeup(
      "      cyclictest-97      [002] d...3..    13.629622: rtsweep_late: "
      "until_sleep_ns=103822 expires=13629518178 pid=97");

  ASSERT_TRUE(late);
  EXPECT_EQ(late->pid, 97);
  EXPECT_EQ(late->cpu, 2);
  EXPECT_EQ(late->at_ns, 13'629'622'000);
  EXPECT_EQ(late->expiry_ns, 13'629'518'178);
  EXPECT_EQ(late->until_sleep_ns, 103'822);
}

// Of 6.1.0-50-rt-armmp: 13,677,621,160 ns less three times 2^32 is 792,719,272.
TEST(LateWakeup, HasItsWholeExpiryOnA32BitKernelToo) {
  const auto late = parse_late_wakeup(
      "      cyclictest-97      [000] d...3..    13.678047: rtsweep_late: until_sleep_ns=425840 "
      "expires=792719272 pid=97");

  ASSERT_TRUE(late);
  EXPECT_EQ(late->expiry_ns, 13'677'621'160);
}

TEST(LateWakeup, IsNoOtherLine) {
  EXPECT_FALSE(parse_late_wakeup(""));
  EXPECT_FALSE(parse_late_wakeup("CPU:0 [LOST 12 EVENTS]"));
  EXPECT_FALSE(parse_late_wakeup(
      "      cyclictest-97      [000] d...3..    13.629622: rtsweep_late: until_sleep_ns=63825"));
}

SavedTrace late_by(int64_t us, size_t bytes = 100) {
  SavedTrace trace;
  trace.wakeup.until_sleep_ns = us * 1000;
  trace.wakeup.at_ns = us;  // tells them apart
  trace.cpus.push_back({.cpu = 0, .bytes = std::string(bytes, '\0')});
  return trace;
}

std::vector<int64_t> kept(SavedTraces& traces) {
  std::vector<int64_t> us;
  for (const SavedTrace& trace : traces.take()) us.push_back(trace.wakeup.until_sleep_ns / 1000);
  return us;
}

TEST(SavedTraces, AreTheFirstAndTheWorst) {
  const CaptureSpec spec{.breakpoint_us = 100, .keep_first = 2, .keep_worst = 2};
  SavedTraces traces(spec);
  for (const int64_t us : {110, 120, 300, 150, 200, 130}) traces.add(late_by(us));

  EXPECT_EQ(traces.not_kept(), 2U);
  EXPECT_THAT(kept(traces), ElementsAre(110, 120, 200, 300));
}

// With two first ones and two of the worst there, 150 us is the bar: what is less would not stay.
TEST(SavedTraces, RaiseTheBarOnceThePlacesAreTaken) {
  const CaptureSpec spec{.breakpoint_us = 100, .keep_first = 2, .keep_worst = 2};
  SavedTraces traces(spec);
  traces.add(late_by(110));
  EXPECT_EQ(traces.threshold_with(late_by(120)), 100'000);
  traces.add(late_by(120));
  traces.add(late_by(300));
  EXPECT_EQ(traces.threshold_with(late_by(150)), 150'000);
  traces.add(late_by(150));
  EXPECT_EQ(traces.threshold_with(late_by(200)), 200'000);
}

TEST(SavedTraces, StayBelowTheirLimitOfBytes) {
  const CaptureSpec spec{.breakpoint_us = 100, .keep_first = 1, .keep_worst = 10, .limit_kib = 64};
  SavedTraces traces(spec);
  for (const int64_t us : {110, 200, 150, 300}) traces.add(late_by(us, 20 * 1024));

  EXPECT_EQ(traces.not_kept(), 1U);
  EXPECT_THAT(kept(traces), ElementsAre(110, 200, 300));
}

constexpr char kSymbols[] =
    "ffffffff81000000 T _stext\n"
    "ffffffff81000100 T first\n"
    "ffffffff81000200 t second\n"
    "ffffffff81000300 T third\n"
    "ffffffff81000400 T fourth\n"
    "ffffffffc0000000 t in_module\t[mmc_core]\n";

CpuPages with_words(std::initializer_list<uint64_t> words) {
  CpuPages cpu{.cpu = 0};
  cpu.bytes.resize(4);  // words stand on 4-byte boundaries
  for (const uint64_t word : words) {
    cpu.bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  return cpu;
}

TEST(KernelSymbols, AreThoseThatAreMentionedAndWhereTheyEnd) {
  const std::string few = mentioned_symbols(kSymbols, {with_words({0xffffffff81000234, 42})}, 8);

  EXPECT_EQ(few, "ffffffff81000200 t second\nffffffff81000300 T third\n");
}

TEST(KernelSymbols, OfModulesKeepTheirModule) {
  const std::string few = mentioned_symbols(kSymbols, {with_words({0xffffffffc0000010})}, 8);

  EXPECT_EQ(few, "ffffffffc0000000 t in_module\t[mmc_core]\n");
}

TEST(KernelSymbols, AreNoneWhereAddressesAreHidden) {
  EXPECT_EQ(mentioned_symbols("0000000000000000 T _stext\n", {with_words({0})}, 8), "");
}

// cyclictest cuts both numbers to microseconds: 1,000,123.9 - 100.8 us = 1,000,023.1.
TEST(HitOfAWakeup, IsTheOneWithItsExpiryOnItsCpu) {
  const std::vector<CaptureHit> hits = {
      {.thread = 1, .cpu = 1, .latency_us = 100, .at_us = 1'000'123},
      {.thread = 0, .cpu = 0, .latency_us = 100, .at_us = 1'000'123}};
  const LateWakeup wakeup{.cpu = 0, .expiry_ns = 1'000'023'100};

  const CaptureHit* hit = hit_of(wakeup, hits);

  ASSERT_NE(hit, nullptr);
  EXPECT_EQ(hit->thread, 0);
  EXPECT_EQ(hit_of({.cpu = 0, .expiry_ns = 1'001'020'100}, hits), nullptr);
}

}  // namespace
}  // namespace rtsweep
