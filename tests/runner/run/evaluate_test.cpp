// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/run/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/boot/vm_results.h"
#include "runner/measure/frames.h"
#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::Contains;
using testing::FakeHost;
using ::testing::Field;
using testing::IsOk;

// cyclictest 2.4 as it measured 10 s at 1000 us on one CPU: 9,998 samples of 41 us, one
// of 60, one of 140. By hand: p99.99 is rank ceil(10000 * 0.9999) = 9999, so 60 us; the
// average is (9998 * 41 + 60 + 140) / 10000 = 41.01 us.
constexpr char kCyclictest[] = R"({
  "file_version": 1, "cmdline:": "cyclictest", "rt_test_version:": "2.40",
  "start_time": "Mon, 30 Nov 2026 16:19:36 +0000", "end_time": "Mon, 30 Nov 2026 16:19:46 +0000",
  "return_code": 0,
  "sysinfo": {"sysname": "Linux", "nodename": "vm", "release": "6.12.0-rt",
              "version": "#1 SMP PREEMPT_RT", "machine": "aarch64", "realtime": 1},
  "num_threads": 1, "resolution_in_ns": 0,
  "thread": {"0": {"histogram": {"41": 9998, "60": 1, "140": 1}, "cycles": 10000,
                   "min": 41, "max": 140, "avg": 41.01, "cpu": 0, "node": 0}}
})";
constexpr char kFacts[] = R"({"kernel_release": "6.12.0-rt", "clocksource": "tsc",
  "kernel_version": "#1 SMP PREEMPT_RT", "preempt_rt": true, "online_cpus": [0],
  "isolated_cpus": []})";

class EvaluateTest : public ::testing::Test {
 protected:
  EvaluateTest() {
    const Plan plan = parse_plan(
                          "name = \"p\"\ntarget = \"local\"\n[measure]\ninterval_us = 1000\n"
                          "duration = \"10s\"\nlimit_us = 150\n[factors]\nload = [\"idle\"]\n",
                          "p.toml")
                          .value();
    run_.emplace(RunDirectory::create(dir_.root().path("run"), plan, {}).value());
    name_ = "run/" + run_->trial_name(trial());
  }

  const PlannedTrial& trial() const { return run_->trials().front(); }

  void file(const std::string& name, std::string_view content) {
    dir_.file(name_ + "/" + name, content);
  }

  void measured_trial() {
    file("facts-before.json", kFacts);
    file("facts-after.json", kFacts);
    file("cyclictest.json", kCyclictest);
    file("probe.json",
         R"({"argv": [], "exit_code": 0, "signal": 0, "timed_out": false, "wall_s": 10})");
    file("loads.json", "[]");
    file("complete.json", "{}");
    file("end.json", R"({"end": "complete", "message": "", "wall_s": 12.5})");
  }

  TrialResult evaluate() { return evaluate_trial(*run_, trial()); }

  FakeHost dir_;
  std::optional<RunDirectory> run_;
  std::string name_;
};

MATCHER_P(HasCode, code, "") {
  return ::testing::ExplainMatchResult(Contains(Field(&Reason::code, code)), arg.reasons,
                                       result_listener);
}

TEST_F(EvaluateTest, FindsTheNumbersInWhatCyclictestWrote) {
  measured_trial();

  const TrialResult result = evaluate();

  EXPECT_EQ(result.verdict, Verdict::kPass) << result.reasons.front().text;
  EXPECT_EQ(result.samples(), 10000u);
  EXPECT_EQ(result.max_us(), 140);
  EXPECT_NEAR(result.avg_us().value(), 41.01, 0.005);
  EXPECT_EQ(result.merged().quantile(999'900), std::chrono::microseconds(60));
  EXPECT_EQ(result.wall_s, 12.5);
}

TEST_F(EvaluateTest, CountsATrialWhoseRunnerWasKilledAfterItsEnd) {
  measured_trial();
  std::filesystem::remove(dir_.root().path(name_ + "/end.json"));

  EXPECT_EQ(evaluate().verdict, Verdict::kPass);
}

TEST_F(EvaluateTest, MarksATrialThatWasCutShort) {
  measured_trial();
  for (const char* name : {"end.json", "complete.json"}) {
    std::filesystem::remove(dir_.root().path(name_ + "/" + name));
  }

  const TrialResult result = evaluate();

  EXPECT_EQ(result.verdict, Verdict::kError);
  EXPECT_THAT(result, HasCode("interrupted"));
}

TEST_F(EvaluateTest, NeverUsesAFileThatCannotBeRead) {
  measured_trial();
  file("cyclictest.json", std::string_view(kCyclictest).substr(0, 400));

  const TrialResult result = evaluate();

  EXPECT_FALSE(result.usable());
  EXPECT_TRUE(result.cpus.empty());
}

TEST_F(EvaluateTest, FailsATrialOverItsLimit) {
  measured_trial();
  std::string text = kCyclictest;
  text.replace(text.find("\"140\": 1"), 8, "\"151\": 1");
  text.replace(text.find("\"max\": 140"), 10, "\"max\": 151");
  file("cyclictest.json", text);

  const TrialResult result = evaluate();

  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_THAT(result, HasCode("limit_exceeded"));
}

TEST_F(EvaluateTest, UnpacksWhatAVmStreamedOutBeforeItWasKilled) {
  const std::string torn = encode_frame("facts-before.json", kFacts) +
                           encode_frame("cyclictest.json", kCyclictest).substr(0, 300);
  file(kResultsFile, torn);
  file(std::string(kScratchDirectory) + "/initrd.cpio", "large");

  ASSERT_THAT(tidy_trial(dir_.root().path(name_)), IsOk());

  EXPECT_THAT(dir_.root().read(name_ + "/facts-before.json"), IsOk());
  EXPECT_FALSE(std::filesystem::exists(dir_.root().path(name_ + "/cyclictest.json")));
  EXPECT_FALSE(std::filesystem::exists(dir_.root().path(name_ + "/" + kScratchDirectory)));
}

}  // namespace
}  // namespace rtsweep
