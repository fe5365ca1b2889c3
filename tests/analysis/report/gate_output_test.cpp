// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/gate_output.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runner/base/command.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::IsOkAnd;

Gate sample_gate() {
  return {.run = "nightly",
          .checks = {{"limit", "load=idle", GateAnswer::kPass, "Maximum 40 us."},
                     {"rate", "load=busy", GateAnswer::kInvalid, "Too short: it's 1 h."},
                     {"tail", "load=# x\n::error::y", GateAnswer::kFail, "Regression <b>\x1b[0m"}}};
}

std::string file_of(const std::string& name, const Result<std::string>& text) {
  const auto file = std::filesystem::path(::testing::TempDir()) / name;
  std::ofstream(file) << *text;
  return file.string();
}

TEST(GateOutput, JunitIsValidAndTellsInvalidFromFail) {
  const auto xml = render_gate(sample_gate(), "junit");

  EXPECT_THAT(xml,
              IsOkAnd(HasSubstr("<failure type=\"FAIL\" message=\"Regression &lt;b>?[0m\"")));
  EXPECT_THAT(xml, IsOkAnd(HasSubstr("<error type=\"INVALID\"")));
  SystemCommands commands;
  if (!commands.run({"xmllint", "--version"})) GTEST_SKIP() << "needs xmllint (libxml2-utils)";
  EXPECT_THAT(commands.run({"xmllint", "--noout", "--schema",
                            RTSWEEP_SOURCE_DIR "/tests/golden/formats/junit.xsd",
                            file_of("gate.xml", xml)}),
              IsOk());
}

TEST(GateOutput, TapIsReadByProve) {
  SystemCommands commands;
  if (!commands.run({"prove", "--version"})) GTEST_SKIP() << "needs prove (perl)";
  const std::string file = file_of("gate.tap", render_gate(sample_gate(), "tap"));

  const auto read = commands.run({"sh", "-c", "prove -e cat " + file + " 2>&1; true"});
  EXPECT_THAT(read, IsOkAnd(HasSubstr("Failed 2/3 subtests")));
  EXPECT_THAT(read, IsOkAnd(::testing::Not(HasSubstr("Parse errors"))));
}

TEST(GateOutput, JsonHasTheAnswerAndItsChecks) {
  const auto json = nlohmann::json::parse(*render_gate(sample_gate(), "json"));

  EXPECT_EQ(json.at("answer"), "FAIL");
  EXPECT_TRUE(json.at("baseline").is_null());
  EXPECT_EQ(json.at("checks").at(1).at("answer"), "INVALID");
}

TEST(GateOutput, AHostileNameIsNoGithubCommand) {
  EXPECT_THAT(render_gate(sample_gate(), "github"),
              IsOkAnd(::testing::Not(HasSubstr("\n::error::y"))));
}

TEST(GateOutput, NamesTheFormatsThereAre) {
  EXPECT_THAT(render_gate(sample_gate(), "xml"),
              FailsWith(Errc::kInvalidPlan, "(there are: text, json, junit, tap, github)"));
}

}  // namespace
}  // namespace rtsweep
