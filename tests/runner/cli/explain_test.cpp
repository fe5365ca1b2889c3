// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep explain as its user meets it: files of every kind, exit codes, JSON, messages.

#include <gmock/gmock.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "runner/cli/program.h"
#include "tests/support/fake_host.h"
#include "tests/support/trace_dat_builder.h"

namespace rtsweep {
namespace {

using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using testing::TraceDatBuilder;

constexpr const char* kHogTrace = R"(
             cat-50    [000] d..2.   200.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=hog next_pid=55 next_prio=9
             hog-55    [000] d..2.   200.000100: sched_waking: comm=audio pid=8 prio=19 target_cpu=000
             hog-55    [000] d..2.   200.000600: sched_switch: prev_comm=hog prev_pid=55 prev_prio=9 prev_state=S ==> next_comm=audio next_pid=8 next_prio=19
)";
constexpr const char* kUnusableTrace = "a-1 [000] 1.000001: my_event: x\n";

struct Output {
  int code = 0;
  std::string out;
  std::string err;
};

Output explain(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"rtsweep", "explain"});
  std::vector<char*> argv;
  for (std::string& one : arguments) argv.push_back(one.data());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Output output;
  output.code = run_program(static_cast<int>(argv.size()), argv.data(), nullptr);
  std::cout.flush();
  output.out = ::testing::internal::GetCapturedStdout();
  output.err = ::testing::internal::GetCapturedStderr();
  return output;
}

std::string path_in(const FakeHost& host, std::string_view file) {
  return host.root().path(file).string();
}

TEST(Explain, EndsWithZeroWhenTheCauseIsThere) {
  FakeHost host;
  host.file("trace.txt", kHogTrace);

  const Output output = explain({path_in(host, "trace.txt")});

  EXPECT_EQ(output.code, 0);
  EXPECT_THAT(output.out, HasSubstr("EXPLAINED: audio-8 (RT priority 80) was late by 500 us"));
  EXPECT_THAT(output.out, HasSubstr("higher priority: hog-55 (RT priority 90)"));
}

TEST(Explain, EndsWithThreeWhenItIsUnknown) {
  FakeHost host;
  host.file("trace.txt", kHogTrace).file("other.txt", kUnusableTrace);

  const Output output = explain({path_in(host, "trace.txt"), path_in(host, "other.txt")});

  EXPECT_EQ(output.code, 3);
  EXPECT_THAT(output.out, HasSubstr("UNKNOWN: Not usable"));
  EXPECT_THAT(output.out, HasSubstr("trace-cmd record -e sched"));
}

TEST(Explain, EndsWithOneWhenAFileCannotBeRead) {
  FakeHost host;
  host.file("trace.txt", kHogTrace).file("mail.txt", "Hello\n");

  const Output output = explain({path_in(host, "mail.txt"), path_in(host, "trace.txt")});

  EXPECT_EQ(output.code, 1);
  EXPECT_THAT(output.err, HasSubstr("mail.txt:1: no trace"));
  EXPECT_THAT(output.out, HasSubstr("EXPLAINED")) << "the other file is explained all the same";
}

TEST(Explain, PrintsJson) {
  FakeHost host;
  host.file("trace.txt", kHogTrace);

  const Output output = explain({"--json", path_in(host, "trace.txt")});

  const auto json = nlohmann::json::parse(output.out);
  ASSERT_THAT(json["explanations"], SizeIs(1));
  const auto& one = json["explanations"][0];
  EXPECT_EQ(one["conclusion"], "explained");
  EXPECT_EQ(one["latency_us"], 500.0);
  EXPECT_EQ(one["cause"]["who"], "hog-55 (RT priority 90)");
  EXPECT_EQ(one["segments"][0]["length_us"], 500.0);
  EXPECT_EQ(one["evidence"][0]["line"], 2);
}

TEST(Explain, TakesAnotherBreakpoint) {
  FakeHost host;
  host.file("trace.txt", kHogTrace);

  const Output output = explain({"--breakpoint", "1000", path_in(host, "trace.txt")});

  EXPECT_EQ(output.code, 3);
  EXPECT_THAT(output.out, HasSubstr("no wake-up in it took 1000 us, the longest 500 us"));
}

std::string late_wakeup_file() {
  TraceDatBuilder file(1);
  file.comm(1000, "cyclictest");
  file.sched_switch({0, 1'000'000, 1000, 1, 2}, {"cyclictest", 1000, 4}, 1, {"hog", 55, 2});
  file.sched_waking({0, 2'000'000, 55, 9, 2}, {"cyclictest", 1000, 4}, 0);
  file.sched_switch({0, 2'500'000, 55, 1, 2}, {"hog", 55, 2}, 1, {"cyclictest", 1000, 4});
  return file.finish();
}

TEST(Explain, ReadsATraceDat) {
  FakeHost host;
  host.file("trace.dat", late_wakeup_file());

  const Output output = explain({path_in(host, "trace.dat")});

  EXPECT_EQ(output.code, 0) << output.err;
  EXPECT_THAT(output.out, ::testing::StartsWith("trace.dat: cyclictest-1000"));
  EXPECT_THAT(output.out, HasSubstr("late by 500 us"));
  EXPECT_THAT(output.out, HasSubstr("higher priority: hog-55 (RT priority 97)"));
}

TEST(Explain, PrintsJsonOfATraceDat) {
  FakeHost host;
  host.file("trace.dat", late_wakeup_file());

  const Output output = explain({"--json", path_in(host, "trace.dat")});

  const auto json = nlohmann::json::parse(output.out);
  ASSERT_THAT(json["explanations"], SizeIs(1));
  EXPECT_EQ(json["explanations"][0]["latency_us"], 500.0);
  EXPECT_EQ(json["explanations"][0]["cause"]["kind"], "higher_priority");
}

TEST(Explain, NamesADamagedTraceDat) {
  FakeHost host;
  host.file("trace.dat", late_wakeup_file().substr(0, 2'000));

  const Output output = explain({path_in(host, "trace.dat")});

  EXPECT_EQ(output.code, 1);
  EXPECT_THAT(output.err, HasSubstr("trace.dat: not a whole trace.dat"));
}

// The real file of others.
TEST(Explain, ReadsACompressedTraceDatOfVersion6) {
  const std::filesystem::path file = std::filesystem::path(RTSWEEP_CORPUS_DIR) /
                                     "C16-binary-trace-dat-v6-no-sched-events/trace.dat.xz";
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << "needs the corpus of real inputs: " << file.string();
  }
  const Output output = explain({file.string()});

  EXPECT_EQ(output.code, 3);
  EXPECT_THAT(output.out,
              HasSubstr("Not usable for the analysis of a wake-up: none of its 525 events"));
  EXPECT_THAT(output.out, HasSubstr("bprint 501, cdev_update 18, thermal_temperature 6"));
}

}  // namespace
}  // namespace rtsweep
