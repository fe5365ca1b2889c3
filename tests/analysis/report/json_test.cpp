// SPDX-License-Identifier: GPL-2.0-or-later

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/report/render.h"
#include "runner/base/command.h"
#include "tests/analysis/report/sample_report.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using nlohmann::json;
using testing::golden;
using testing::hostile_report;
using testing::IsOk;
using testing::sample_report;

const json& trial(const json& report, int id) { return report.at("trials").at(id - 1); }

TEST(JsonReport, IsTheGoldenOne) {
  const std::string text = render_json(sample_report());

  EXPECT_EQ(text, golden("sample.json", text));
}

TEST(JsonReport, HasTheNumbersOfATrial) {
  const json report = json::parse(render_json(sample_report()));

  // 37x1 40x90 60x8 140x1: rank 90 of 100 is 40, rank 99 is 60, rank 100 is 140.
  const json& first = trial(report, 1);
  EXPECT_EQ(report.at("schema"), 1);
  EXPECT_EQ(first.at("samples"), 100);
  EXPECT_EQ(first.at("min_us"), 37);
  EXPECT_DOUBLE_EQ(first.at("avg_us"), 42.57);
  EXPECT_EQ(first.at("max_us"), 140);
  EXPECT_EQ(first.at("quantiles_us"),
            json::parse(R"({"p50": 40, "p90": 40, "p99": 60, "p99.9": 140, "p99.99": 140,
                            "p99.999": 140, "p99.9999": 140})"));
  EXPECT_EQ(first.at("clock"), "virtual");
  EXPECT_EQ(first.at("histograms").at(0).at("counts"),
            json::parse("[[37, 1], [40, 90], [60, 8], [140, 1]]"));
}

TEST(JsonReport, IsNullWhereNothingIsKnown) {
  const json report = json::parse(render_json(sample_report()));

  // #6 panicked.
  for (const char* name : {"samples", "min_us", "avg_us", "max_us", "facts"}) {
    EXPECT_TRUE(trial(report, 6).at(name).is_null()) << name;
  }
  // #7 has two of 100 samples past the histogram: rank 99 is unknown, the maximum not.
  EXPECT_EQ(trial(report, 7).at("quantiles_us").at("p90"), 35);
  EXPECT_TRUE(trial(report, 7).at("quantiles_us").at("p99").is_null());
  EXPECT_EQ(trial(report, 7).at("max_us"), 3368);
  EXPECT_EQ(trial(report, 7).at("histograms").at(0).at("overflows"), 2);
  // #8 has a thread that never ran.
  EXPECT_TRUE(trial(report, 8).at("histograms").at(1).at("min_us").is_null());
  EXPECT_EQ(trial(report, 8).at("histograms").at(1).at("samples"), 0);
  // #4's load died before its work was read.
  EXPECT_TRUE(trial(report, 4).at("loads").at(0).at("work").is_null());
}

TEST(JsonReport, KeepsHostileTextAsText) {
  const json report = json::parse(render_json(hostile_report()));

  const std::string name = report.at("plan").at("name");
  EXPECT_THAT(name, ::testing::StartsWith("</script><script>alert(1)</script>"));
  EXPECT_THAT(name, ::testing::HasSubstr("\x1b[31m\xef\xbf\xbd"));  // the lone ff is U+FFFD
}

TEST(JsonReport, FollowsItsSchema) {
  SystemCommands commands;
  if (!commands.run({"python3", "-c", "import jsonschema"})) {
    GTEST_SKIP() << "needs python3-jsonschema";
  }
  static const char* const kValidate =
      "import json, sys, jsonschema\n"
      "schema = json.load(open(sys.argv[1]))\n"
      "jsonschema.Draft202012Validator.check_schema(schema)\n"
      "jsonschema.Draft202012Validator(schema).validate(json.load(open(sys.argv[2])))\n";
  const std::string schema = RTSWEEP_SOURCE_DIR "/results/schema/report-1.schema.json";
  const auto file = std::filesystem::path(::testing::TempDir()) / "report.json";

  for (const RunReport& report : {sample_report(), hostile_report(), RunReport{}}) {
    std::ofstream(file) << render_json(report);
    EXPECT_THAT(commands.run({"python3", "-c", kValidate, schema, file.string()}), IsOk());
  }
  // The schema can fail: 0 in the place of an unknown name is refused.
  json broken = json::parse(render_json(sample_report()));
  broken["trials"][0]["verdict"] = "OK";
  std::ofstream(file) << broken;
  EXPECT_FALSE(commands.run({"python3", "-c", kValidate, schema, file.string()}));
}

}  // namespace
}  // namespace rtsweep
