// SPDX-License-Identifier: GPL-2.0-or-later

// Our text of events against that of `trace-cmd report -N -t`, on the same file.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "analysis/trace/trace_text.h"
#include "runner/base/command.h"
#include "runner/base/files.h"
#include "runner/capture/trace_dat/trace_dat_file.h"
#include "runner/kernels/unpack.h"
#include "tests/support/result_matchers.h"
#include "tests/support/trace_dat_builder.h"

namespace rtsweep {
namespace {

using testing::IsOk;
using ::testing::SizeIs;
using testing::TraceDatBuilder;

// Blanks in a row are trace-cmd's layout.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' || !out.ends_with(' ')) out += c;
  }
  return out;
}

class TraceCmdText : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!commands_.run({"sh", "-c", "command -v trace-cmd"})) GTEST_SKIP() << "needs trace-cmd";
    file_ = ::testing::TempDir() + "rtsweep-trace-cmd-text.dat";
  }
  void TearDown() override { std::filesystem::remove(file_); }

  // Both must give the same events, in the same order, with the same numbers and texts.
  void compare(const std::string& content, size_t events) {
    std::ofstream(file_, std::ios::binary) << content;
    const auto report = commands_.run({"trace-cmd", "report", "-N", "-t", "-i", file_});
    ASSERT_THAT(report, IsOk());
    const auto theirs = parse_trace(*report, "report");
    const auto ours = read_trace_dat_apart(file_, {});
    ASSERT_THAT(theirs, IsOk());
    ASSERT_THAT(ours, IsOk());
    ASSERT_THAT(ours->front().events, SizeIs(events));
    ASSERT_THAT(theirs->front().events, SizeIs(events));
    for (size_t i = 0; i < events; ++i) {
      const TraceEvent& one = ours->front().events[i];
      const TraceEvent& other = theirs->front().events[i];
      EXPECT_EQ(one.name, other.name);
      EXPECT_EQ(plain(one.text), plain(other.text)) << one.name;
      EXPECT_EQ(one.comm, other.comm);
      EXPECT_EQ(one.pid, other.pid);
      EXPECT_EQ(one.cpu, other.cpu);
      EXPECT_EQ(one.time_ns, other.time_ns);
    }
  }

  SystemCommands commands_;
  std::string file_;
};

TEST_F(TraceCmdText, IsTheSameForARealFileOfAnArmBoard) {
  const std::filesystem::path file = std::filesystem::path(RTSWEEP_CORPUS_DIR) /
                                     "C16-binary-trace-dat-v6-no-sched-events/trace.dat.xz";
  const auto packed = read_file(file);
  if (!packed) GTEST_SKIP() << "needs the corpus of real inputs: " << file.string();
  const auto content = unpack(*packed, size_t{1} << 30);
  ASSERT_THAT(content, IsOk());

  compare(*content, 525);
}

TEST_F(TraceCmdText, IsTheSameForTheEventsThatAnExplanationUses) {
  TraceDatBuilder file(2);
  file.comm(77, "bash");
  file.comm(1000, "cyclictest");
  const uint64_t timer = 0xffffc900005efb40;
  file.hrtimer_start({1, 1'000, 1000, 1, 2}, timer, 50'000);
  file.sched_switch({1, 2'000, 1000, 1, 2}, {"cyclictest", 1000, 4}, 1, {"bash", 77, 120});
  file.local_timer_entry({1, 3'000, 77, 9, 0});
  file.hrtimer_expire_entry({1, 4'000, 77, 9, 1}, timer, 50'500);
  file.sched_waking({1, 5'000, 77, 9, 2}, {"cyclictest", 1000, 4}, 1);
  file.hrtimer_expire_exit({1, 6'000, 77, 13, 1}, timer);
  file.local_timer_exit({1, 7'000, 77, 13, 0});
  file.event({1, 8'000, 77, 16, 1}, 150, testing::Bytes().number(uint32_t{3}).take());
  file.event({1, 9'000, 77, 16, 1}, 149, testing::Bytes().number(uint32_t{3}).take());
  file.event({1, 10'000, 77, 8, 1}, 152,
             testing::Bytes().number(int32_t{42}).number((5U << 16) + 16).text("eth0", 8).take());
  file.sched_switch({1, 11'000, 77, 1, 2}, {"bash", 77, 120}, 0x100, {"cyclictest", 1000, 4});
  file.print({1, 12'000, 1000, 0, 0}, "hit latency threshold (310 > 50)");
  file.rtsweep_late({1, 13'000, 1000, 1, 2}, 308'000, 1000);

  compare(file.finish(), 13);
}

}  // namespace
}  // namespace rtsweep
