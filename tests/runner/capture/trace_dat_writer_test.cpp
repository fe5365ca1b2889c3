// SPDX-License-Identifier: GPL-2.0-or-later

// The trace.dat that is written, read by trace-cmd and by our own reader.

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "runner/base/command.h"
#include "runner/base/files.h"
#include "runner/capture/trace_dat.h"
#include "runner/capture/trace_dat/trace_dat_file.h"
#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::HasSubstr;
using testing::IsOk;
using ::testing::Not;
using ::testing::SizeIs;

// Of Debian's 6.1.0-50-rt-amd64: its entries have a common field more.
constexpr char kPrintFormat[] =
    "name: print\nID: 5\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
    "\tfield:unsigned char common_preempt_lazy_count;\toffset:8;\tsize:1;\tsigned:0;\n"
    "\n"
    "\tfield:unsigned long ip;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:char buf[];\toffset:24;\tsize:0;\tsigned:1;\n"
    "\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n";

TraceDescription description() {
  return {.layout = {.page_bytes = 4096, .long_bytes = 8, .data_offset = 16},
          .header_page =
              "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
              "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
              "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
              "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n",
          .header_event =
              "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
              "\tarray       :   32 bits\n\n\tpadding     : type == 29\n"
              "\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
              "\tdata max type_len  == 28\n",
          .ftrace_formats = {kPrintFormat},
          .saved_cmdlines = "77 cyclictest\n",
          .kallsyms = "ffffffff81000000 T _stext\n",
          .clock = "local global counter uptime perf [mono] mono_raw boot tai\n",
          .system = "Linux host 6.1.0-50-rt-amd64 #1 SMP PREEMPT_RT x86_64"};
}

std::string marked_trace(const std::string& text) {
  const TraceDescription about = description();
  const auto print = print_layout(about);
  std::vector<CpuPages> cpus = {
      {.cpu = 2, .bytes = marker_page(about.layout, *print, 77, 13'629'624'000, text)}};
  return make_trace_dat(about, cpus);
}

TEST(TraceDatWriter, FindsWhereAnEntryOfTraceMarkerHasItsText) {
  const auto print = print_layout(description());
  ASSERT_THAT(print, IsOk());
  EXPECT_EQ(print->id, 5);
  EXPECT_EQ(print->text_offset, 24U);
  EXPECT_THAT(print_layout(TraceDescription()), Not(IsOk()));
}

TEST(TraceDatWriter, IsOpenedByTraceCmd) {
  const testing::FakeHost host;
  const auto file = host.root().path("trace.dat");
  ASSERT_THAT(write_file_durably(file, marked_trace("rtsweep: hit latency threshold (208 > 100)")),
              IsOk());
  SystemCommands commands;

  const auto report = commands.run({"trace-cmd", "report", "-t", "-i", file.string()});

  ASSERT_THAT(report, IsOk());
  EXPECT_THAT(*report, HasSubstr("cyclictest-77"));
  EXPECT_THAT(*report, HasSubstr("[002]"));
  EXPECT_THAT(*report, HasSubstr("13.629624000: print:"));
  EXPECT_THAT(*report, HasSubstr("rtsweep: hit latency threshold (208 > 100)"));
}

TEST(TraceDatWriter, IsReadByExplain) {
  const testing::FakeHost host;
  const auto file = host.root().path("trace.dat");
  ASSERT_THAT(write_file_durably(file, marked_trace("rtsweep: hit latency threshold (208 > 100)")),
              IsOk());

  const auto traces = read_trace_dat_apart(file, {});

  ASSERT_THAT(traces, IsOk());
  ASSERT_THAT(*traces, SizeIs(1));
  ASSERT_THAT(traces->front().events, SizeIs(1));
  EXPECT_EQ(traces->front().events[0].pid, 77);
  EXPECT_EQ(traces->front().events[0].cpu, 2);
  EXPECT_EQ(traces->front().events[0].time_ns, 13'629'624'000);
}

}  // namespace
}  // namespace rtsweep
