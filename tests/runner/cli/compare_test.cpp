// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep compare as its user meets it: exit codes, JSON, messages.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "runner/base/child_process.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/cli/program.h"
#include "tests/support/fake_host.h"

namespace rtsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class CompareCommand : public ::testing::Test {
 protected:
  // A run of six trials under one load, in a directory of that name.
  fs::path measured(const std::string& name, int repetitions = 6) {
    const std::string plan =
        "name = \"fake\"\ntarget = \"local\"\nrepetitions = " + std::to_string(repetitions) +
        "\n[measure]\ninterval_us = 1000\nduration = \"10s\"\n"
        "[factors]\nload = [\"idle\"]\n";
    dir_.file("plan.toml", plan);
    const fs::path run = dir_.root().path(name);
    auto runner =
        ChildProcess::start({RTSWEEP_FAKE_PROGRAM, "run", dir_.root().path("plan.toml").string(),
                             "--out", run.string()},
                            {.output = dir_.root().path("log")});
    EXPECT_TRUE(runner && runner->wait());
    return run;
  }

  // The same run with the one late sample of each trial three times as late.
  fs::path with_longer_tail(const fs::path& run) {
    const fs::path copy = run.string() + "-longer";
    fs::copy(run, copy, fs::copy_options::recursive);
    for (const auto& trial : fs::directory_iterator(copy / "trials")) {
      make_longer(trial.path() / "cyclictest.json");
    }
    return copy;
  }

  int compare(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"rtsweep", "compare"});
    std::vector<char*> argv;
    for (std::string& one : arguments) argv.push_back(one.data());
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int code = run_program(static_cast<int>(argv.size()), argv.data(), nullptr);
    std::cout.flush();
    out_ = ::testing::internal::GetCapturedStdout();
    err_ = ::testing::internal::GetCapturedStderr();
    return code;
  }

  std::string out_, err_;

 private:
  static void make_longer(const fs::path& file) {
    auto json = nlohmann::json::parse(read_file(file).value());
    auto& thread = json["thread"]["0"];
    const int max = thread["max"];
    thread["histogram"].erase(std::to_string(max));
    thread["histogram"][std::to_string(3 * max)] = 1;
    thread["max"] = 3 * max;
    ASSERT_TRUE(write_file_durably(file, json.dump()));
  }

  testing::FakeHost dir_;
};

TEST_F(CompareCommand, ReturnsZeroForARunAndItself) {
  const fs::path run = measured("same");

  EXPECT_EQ(compare({run.string(), run.string()}), 0) << out_ << err_;
  EXPECT_THAT(out_, StartsWith("No regression\n"));
}

TEST_F(CompareCommand, ReturnsTwoForALongerTail) {
  const fs::path run = measured("before");
  const fs::path longer = with_longer_tail(run);

  EXPECT_EQ(compare({run.string(), longer.string(), "--json"}), 2) << out_ << err_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["answer"], "regression");
  EXPECT_NEAR(json["cells"][0]["run_maximum"]["ratio"].get<double>(), 3, 0.02);
  EXPECT_EQ(compare({longer.string(), run.string()}), 0) << out_;
  EXPECT_THAT(out_, HasSubstr("Better; no regression above 20 %"));
}

TEST_F(CompareCommand, ReturnsThreeWhenTooFewTrialsCanTell) {
  const fs::path run = measured("single", 1);

  EXPECT_EQ(compare({run.string(), with_longer_tail(run).string()}), 3) << err_;
  EXPECT_THAT(out_, StartsWith("Unclear\n"));
  // 101 us to 303 us, by bucket middles: 303.5 / 101.5.
  EXPECT_THAT(out_, HasSubstr("+199 % [?]"));
}

TEST_F(CompareCommand, ReturnsOneForWhatItCannotCompare) {
  const fs::path run = measured("one", 2);

  EXPECT_EQ(compare({run.string(), "/no/such/run"}), 1);
  EXPECT_EQ(compare({run.string() + ":load=video", run.string()}), 1);
  EXPECT_THAT(err_, HasSubstr("has no load \"video\"; it has: idle"));
  EXPECT_EQ(compare({run.string() + ":load", run.string()}), 1);
  EXPECT_THAT(err_, HasSubstr("is no factor=level"));
}

}  // namespace
}  // namespace rtsweep
