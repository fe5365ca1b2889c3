// SPDX-License-Identifier: GPL-2.0-or-later

#include "tests/integration/vm/vm_run.h"

namespace rtsweep {
namespace {

using testing::VmRun;

// What is executed between expiry and the reading of the clock is the latency, to 1 %:
// what the plugin counts is held against what cyclictest measured.
TEST_F(VmRun, ExplainsTheWorstWakeupByWhatWasExecuted) {
  ASSERT_EQ(run(R"(
name = "path"
target = "vm"
clock = "virtual"
[measure]
duration = "2s"
[factors]
kernel = ["6.1-rt"]
arch = ["arm64"]
load = ["hackbench"]
)",
                "path"),
            0)
      << log();

  ChildProcess child = start({"explain", path("path"), "--method", "path", "--json"});
  ASSERT_EQ(child.wait().value()->code, 0) << log();

  const std::string text = log();  // the stages, then the answer
  const auto found = nlohmann::json::parse(text.substr(text.rfind("\n{") + 1));
  EXPECT_EQ(found.at("same_results"), true);
  EXPECT_EQ(found.at("same_console"), true);
  const double max_us = found.at("max_us");
  const auto& worst = found.at("worst").at(0);
  const double instructions = worst.at("instructions");
  // cyclictest cuts off what is less than a microsecond.
  EXPECT_NEAR(instructions / 125, max_us + 0.5, 0.5 + 0.01 * max_us);
  EXPECT_NEAR(worst.at("explained").get<double>(), instructions, 0.01 * instructions);
  EXPECT_FALSE(worst.at("functions").empty());
}

// The run directory holds all that left the guest; a bundle only the samples.
TEST_F(VmRun, ReplaysATrialOfARunOrOfABundleBitForBit) {
  ASSERT_EQ(
      run("name = \"replay\"\ntarget = \"vm\"\nclock = \"virtual\"\n[measure]\nduration = \"1s\"\n"
          "[factors]\nkernel = [\"6.1-rt\"]\narch = [\"amd64\"]\nload = [\"hackbench\"]\n",
          "run"),
      0)
      << log();
  ASSERT_EQ(start({"bundle", path("run"), "-o", path("run.tar.zst")}).wait().value()->code, 0)
      << log();

  for (const bool bundle : {false, true}) {
    SCOPED_TRACE(bundle);
    ChildProcess child = start({"replay", path(bundle ? "run.tar.zst" : "run"), "--json"});
    EXPECT_EQ(child.wait().value()->code, 0) << log();
    const std::string text = log();
    const auto found = nlohmann::json::parse(text.substr(text.rfind("\n{") + 1));
    EXPECT_EQ(found.at("exact"), true) << text;
    EXPECT_EQ(found.at("same_samples"), true);
    EXPECT_EQ(found.contains("same_results"), !bundle);
    EXPECT_EQ(found.at("max_us_before"), found.at("max_us_after"));
  }
}

}  // namespace
}  // namespace rtsweep
