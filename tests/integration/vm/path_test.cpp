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
  const auto found = nlohmann::json::parse(text.substr(text.find("\n{") + 1));
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

}  // namespace
}  // namespace rtsweep
