// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep explain as its user meets it: files of every kind, exit codes, JSON, messages.

#include <gmock/gmock.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "runner/base/files.h"
#include "runner/cli/program.h"
#include "runner/cli/trace_input.h"
#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::Contains;
using testing::FailsWith;
using testing::FakeHost;
using ::testing::HasSubstr;
using testing::IsOkAnd;
using ::testing::SizeIs;

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

// trace-cmd in its place: answers what it is told, and keeps how it was called.
class FakeTraceCmd : public CommandRunner {
 public:
  explicit FakeTraceCmd(std::vector<Result<std::string>> answers) : answers_(std::move(answers)) {}

  Result<std::string> run(const std::vector<std::string>& argv) override {
    ran.push_back(argv);
    return answers_.at(ran.size() - 1);
  }

  std::vector<std::vector<std::string>> ran;

 private:
  std::vector<Result<std::string>> answers_;
};

constexpr const char* kTraceDat = "\x17\x08\x44tracing6";

TEST(TraceInput, AsksTraceCmdForTheEventsItUses) {
  FakeHost host;
  host.file("trace.dat", kTraceDat);
  FakeTraceCmd trace_cmd({std::string(kHogTrace)});

  EXPECT_THAT(read_trace_file(path_in(host, "trace.dat"), trace_cmd),
              IsOkAnd(std::string(kHogTrace)));

  ASSERT_THAT(trace_cmd.ran, SizeIs(1));
  EXPECT_THAT(trace_cmd.ran[0], Contains("report"));
  EXPECT_THAT(trace_cmd.ran[0], Contains(path_in(host, "trace.dat")));
  EXPECT_THAT(trace_cmd.ran[0], Contains(HasSubstr("sched")));
}

TEST(TraceInput, AsksForEverythingWhenThereAreNoneOfThem) {
  FakeHost host;
  host.file("trace.dat", kTraceDat);
  FakeTraceCmd trace_cmd({std::string("cpus=8\n"), std::string(kUnusableTrace)});

  EXPECT_THAT(read_trace_file(path_in(host, "trace.dat"), trace_cmd),
              IsOkAnd(std::string(kUnusableTrace)));

  ASSERT_THAT(trace_cmd.ran, SizeIs(2));
  EXPECT_THAT(trace_cmd.ran[1], ::testing::Not(Contains("-F")));
}

TEST(TraceInput, NamesThePackageWhenTraceCmdIsMissing) {
  FakeHost host;
  host.file("trace.dat", kTraceDat);
  FakeTraceCmd trace_cmd({Error(Errc::kNotSupported, "trace-cmd: not found")});

  EXPECT_THAT(read_trace_file(path_in(host, "trace.dat"), trace_cmd),
              FailsWith(Errc::kNotSupported, "install Debian's package trace-cmd"));
}

TEST(TraceInput, PassesOnWhatTraceCmdSaid) {
  FakeHost host;
  host.file("trace.dat", kTraceDat);
  const Error broken(Errc::kChildFailed, "trace-cmd report: exit code 255: file is broken");
  FakeTraceCmd trace_cmd({broken, broken});

  EXPECT_THAT(read_trace_file(path_in(host, "trace.dat"), trace_cmd),
              FailsWith(Errc::kChildFailed, "file is broken"));
}

// The real file of others, with the real program.
TEST(TraceInput, ReadsACompressedTraceDatOfVersion6) {
  const std::filesystem::path file = std::filesystem::path(RTSWEEP_CORPUS_DIR) /
                                     "C16-binary-trace-dat-v6-no-sched-events/trace.dat.xz";
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << "needs the corpus of real inputs: " << file.string();
  }
  SystemCommands commands;
  if (!commands.run({"sh", "-c", "command -v trace-cmd"})) GTEST_SKIP() << "needs trace-cmd";

  const Output output = explain({file.string()});

  EXPECT_EQ(output.code, 3);
  EXPECT_THAT(output.out,
              HasSubstr("Not usable for the analysis of a wake-up: none of its 525 events"));
  EXPECT_THAT(output.out, HasSubstr("bprint 501, cdev_update 18, thermal_temperature 6"));
}

}  // namespace
}  // namespace rtsweep
