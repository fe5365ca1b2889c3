// SPDX-License-Identifier: GPL-2.0-or-later

// The formats that CI systems read, each checked with the program or the schema of its readers.

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/report/ci.h"
#include "analysis/report/render.h"
#include "runner/base/command.h"
#include "tests/analysis/report/sample_report.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::hostile_report;
using testing::IsOk;
using ::testing::Not;
using testing::sample_report;
using ::testing::StartsWith;

const std::string kFormats = RTSWEEP_SOURCE_DIR "/tests/golden/formats/";

// A run that came to its end, and in which all is well.
RunReport good_report() {
  RunReport report = sample_report();
  std::erase_if(report.trials, [](const TrialResult& t) { return t.verdict != Verdict::kPass; });
  report.planned = static_cast<int>(report.trials.size());
  report.ended = "2026-08-30T22:00:00Z";
  return report;
}

// The file of a text, for programs that read one.
std::string file_of(const std::string& name, const std::string& text) {
  const auto file = std::filesystem::path(::testing::TempDir()) / name;
  std::ofstream(file) << text;
  return file.string();
}

bool can_run(const std::vector<std::string>& argv) { return bool(SystemCommands().run(argv)); }

Result<std::string> validate_xml(const std::string& text) {
  return SystemCommands().run(
      {"xmllint", "--noout", "--schema", kFormats + "junit.xsd", file_of("junit.xml", text)});
}

TEST(JunitReport, IsValidForJenkinsAndForAnt) {
  if (!can_run({"xmllint", "--version"})) GTEST_SKIP() << "needs xmllint (libxml2-utils)";

  for (const RunReport& report : {sample_report(), good_report(), hostile_report(), RunReport{}}) {
    EXPECT_THAT(validate_xml(render_junit(report)), IsOk());
  }
  // The schema can fail.
  EXPECT_FALSE(validate_xml("<testsuites><testsuite name=\"x\"/></testsuites>"));
}

TEST(JunitReport, TellsTheVerdictsApart) {
  const std::string xml = render_junit(sample_report());

  // 10 trials, an impossible cell, and the case for a run of 10 trials where 12 are planned. One
  // FAIL; two INVALID, two ERROR and the missing trials are errors.
  EXPECT_THAT(xml, HasSubstr("tests=\"12\" failures=\"1\" errors=\"5\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("name=\"hackbench, repetition 1 (#2)\" time=\"60.000\">\n"
                             "      <failure type=\"FAIL\" message=\"maximum 208 us of 100 samples "
                             "(limit 150 us)\">limit_exceeded: "));
  EXPECT_THAT(xml, HasSubstr("<error type=\"INVALID\" message=\"load_died: "));
  EXPECT_THAT(xml, HasSubstr("<error type=\"ERROR\" message=\"kernel_panic: "));
  EXPECT_THAT(xml, HasSubstr("Kernel panic - not syncing"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"hackbench is not in the guest"));
  EXPECT_THAT(xml, HasSubstr("<error type=\"INCOMPLETE\" message=\"10 of 12 planned trials"));
}

TEST(JunitReport, HasNoNumberOfAnInvalidTrial) {
  const std::string xml = render_junit(sample_report());

  EXPECT_THAT(xml, HasSubstr("#4 INVALID 6.1-rt armhf, hackbench, repetition 1: load_died"));
  EXPECT_THAT(xml, Not(HasSubstr("maximum 36 us")));
}

TEST(TapReport, IsWhatProveReads) {
  if (!can_run({"prove", "--version"})) GTEST_SKIP() << "needs prove (perl)";
  SystemCommands commands;

  const std::string good = file_of("good.tap", render_tap(good_report()));
  EXPECT_THAT(commands.run({"prove", "-e", "cat", good}), testing::IsOkAnd(HasSubstr("PASS")));

  const std::string sample = file_of("sample.tap", render_tap(sample_report()));
  const auto failed = commands.run({"sh", "-c", "prove -e cat " + sample + " 2>&1; true"});
  // #2 4 6 8 10 are not ok, and 12 says that the run is not complete.
  EXPECT_THAT(failed, testing::IsOkAnd(HasSubstr("Failed 6/12 subtests")));
  EXPECT_THAT(failed, testing::IsOkAnd(Not(HasSubstr("Parse errors"))));
}

TEST(TapReport, AHostileNameIsNoDirective) {
  RunReport report = good_report();
  report.trials[0].verdict = Verdict::kFail;
  report.trials[0].cell["load"] = "x # TODO later\nok 99";
  const std::string tap = render_tap(report);

  EXPECT_THAT(tap, HasSubstr("not ok 1 - 6.1-rt arm64, x \\# TODO later ok 99, repetition 1\n"));
  if (!can_run({"prove", "--version"})) GTEST_SKIP() << "needs prove (perl)";
  EXPECT_FALSE(SystemCommands().run({"prove", "-e", "cat", file_of("hostile.tap", tap)}));
}

TEST(TapReport, IsAVersion13StreamWithItsPlan) {
  EXPECT_THAT(render_tap(good_report()), StartsWith("TAP version 13\n1..7\nok 1 - "));
  EXPECT_THAT(render_tap(sample_report()),
              HasSubstr("ok 11 - 6.12-rt armhf, hackbench # SKIP hackbench is not in"));
}

TEST(KcidbReport, FollowsTheSchemaOfItsVersion) {
  if (!can_run({"python3", "-c", "import jsonschema"})) {
    GTEST_SKIP() << "needs python3-jsonschema";
  }
  static const char* const kValidate =
      "import json, sys, jsonschema as j\n"
      "j.Draft202012Validator(json.load(open(sys.argv[1])), format_checker=j.FormatChecker())"
      ".validate(json.load(open(sys.argv[2])))\n";
  const auto validate = [](const std::string& text) {
    return SystemCommands().run({"python3", "-c", kValidate, kFormats + "kcidb-5.3.schema.json",
                                 file_of("kcidb.json", text)});
  };

  for (const RunReport& report : {sample_report(), hostile_report(), RunReport{}}) {
    EXPECT_THAT(validate(render_kcidb(report)), IsOk());
  }
  json broken = json::parse(render_kcidb(sample_report()));
  broken["tests"][0]["verdict"] = "PASS";  // KCIDB takes no field of one's own
  EXPECT_FALSE(validate(broken.dump()));
}

TEST(KcidbReport, MapsVerdictsToStatusesOfTheSameMeaning) {
  const json report = json::parse(render_kcidb(sample_report(), "my_lab"));
  const json& tests = report.at("tests");

  EXPECT_EQ(tests.at(0).at("status"), "PASS");
  EXPECT_EQ(tests.at(0).at("number"), json::parse(R"({"value": 140, "unit": "us"})"));
  EXPECT_EQ(tests.at(1).at("status"), "FAIL");
  EXPECT_EQ(tests.at(3).at("status"), "ERROR");  // INVALID
  EXPECT_FALSE(tests.at(3).contains("number"));
  EXPECT_EQ(tests.at(5).at("status"), "MISS");  // ERROR
  EXPECT_THAT(tests.at(5).at("log_excerpt"), HasSubstr("Kernel panic"));
  EXPECT_EQ(tests.at(6).at("status"), "DONE");  // no limit
  EXPECT_EQ(tests.at(10).at("status"), "SKIP");
  EXPECT_EQ(tests.at(0).at("build_id"), report.at("builds").at(0).at("id"));
  EXPECT_THAT(tests.at(0).at("id"), StartsWith("my_lab:"));
}

TEST(KcidbReport, EveryIdIsThereOnce) {
  const json report = json::parse(render_kcidb(sample_report()));

  for (const char* kind : {"checkouts", "builds", "tests"}) {
    std::set<std::string> ids;
    for (const json& object : report.at(kind)) ids.insert(object.at("id"));
    EXPECT_EQ(ids.size(), report.at(kind).size()) << kind;
  }
}

TEST(KcidbReport, AnOriginHasTheLettersThatKcidbAllows) {
  EXPECT_TRUE(is_kcidb_origin("my_lab2"));
  EXPECT_FALSE(is_kcidb_origin("My-Lab"));
  EXPECT_FALSE(is_kcidb_origin(""));
}

TEST(LavaReport, WritesSignalsThatItsDispatcherKnows) {
  const std::string text = render_lava(sample_report());

  EXPECT_THAT(text, StartsWith("<LAVA_SIGNAL_TESTSET START sample>\n"));
  EXPECT_THAT(text, HasSubstr("<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=6.1-rt_arm64_hackbench_r1 "
                              "RESULT=fail UNITS=us MEASUREMENT=208>\n"));
  EXPECT_THAT(text, HasSubstr("<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=6.1-rt_armhf_hackbench_r1 "
                              "RESULT=unknown>\n"));
  EXPECT_THAT(text, HasSubstr("TEST_CASE_ID=6.12-rt_arm64_hackbench_r1 RESULT=fail>\n"));
  EXPECT_THAT(text, HasSubstr("TEST_CASE_ID=run-complete RESULT=fail>\n"));
  EXPECT_THAT(text, EndsWith("<LAVA_SIGNAL_TESTSET STOP>\n"));
}

TEST(LavaReport, AHostileNameAddsNoSignal) {
  RunReport report = good_report();
  const std::string honest = render_lava(report);
  report.trials[0].cell["load"] = "x>\n<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=y RESULT=pass";
  const std::string text = render_lava(report);

  EXPECT_EQ(std::ranges::count(text, '\n'), std::ranges::count(honest, '\n'));
  EXPECT_EQ(std::ranges::count(text, '<'), std::ranges::count(honest, '<'));
}

TEST(GithubReport, AnnotatesWhatIsNotInOrder) {
  const std::string text = render_github(sample_report());

  EXPECT_THAT(text, HasSubstr("::error title=FAIL%3A 6.1-rt arm64%2C hackbench%2C repetition 1::"
                              "maximum 208 us of 100 samples (limit 150 us)\n"));
  EXPECT_THAT(text, HasSubstr("::error title=INCOMPLETE::10 of 12 planned trials"));
  EXPECT_THAT(text, HasSubstr("::notice title=not possible here%3A 6.12-rt armhf%2C hackbench::"));
}

TEST(GithubReport, AHostileTextIsNoCommand) {
  RunReport report = sample_report();
  report.trials[5].reasons[0].text = "100 %\n::set-output name=x::y\r::error::z";
  const std::string text = render_github(report);

  EXPECT_THAT(text, HasSubstr("kernel_panic: 100 %25 ::set-output name=x::y ::error::z\n"));
  EXPECT_THAT(text, Not(HasSubstr("\n::set-output")));
}

TEST(GithubReport, SaysHowManyItLeavesOut) {
  RunReport report = sample_report();
  // 11 more errors beside the sample's six: 17, of which GitHub shows ten.
  for (int i = 0; i < 11; ++i) report.trials.push_back(report.trials[1]);
  report.planned = 30;
  const std::string text = render_github(report);

  EXPECT_THAT(text, HasSubstr("::error title=rtsweep::and 8 more: see the report\n"));
}

TEST(OpenMetricsReport, IsReadByPromtool) {
  if (!can_run({"promtool", "--version"})) GTEST_SKIP() << "needs promtool (prometheus)";
  SystemCommands commands;

  for (const RunReport& report : {sample_report(), hostile_report()}) {
    const std::string file = file_of("metrics.txt", render_openmetrics(report));
    EXPECT_THAT(commands.run({"sh", "-c", "promtool check metrics < " + file}), IsOk());
  }
  EXPECT_FALSE(commands.run({"sh", "-c", "echo 'a{b=} 1' | promtool check metrics"}));
}

TEST(OpenMetricsReport, CountsInSecondsAndLeavesOutWhatCannotBeBelieved) {
  const std::string text = render_openmetrics(sample_report());

  EXPECT_THAT(text, HasSubstr("# TYPE rtsweep_latency_max_seconds gauge\n"
                              "# UNIT rtsweep_latency_max_seconds seconds\n"));
  EXPECT_THAT(
      text, HasSubstr("rtsweep_latency_max_seconds{run=\"2026-08-30T20-59-58_sample\",trial=\"2\","
                      "repetition=\"1\",clock=\"virtual\",arch=\"arm64\",kernel=\"6.1-rt\","
                      "load=\"hackbench\",memory=\"default\"} 0.000208\n"));
  EXPECT_THAT(text, Not(HasSubstr("max_seconds{run=\"2026-08-30T20-59-58_sample\",trial=\"4\"")));
  EXPECT_THAT(text, EndsWith("# EOF\n"));
}

TEST(CsvReport, HasOneRowForEachStatistic) {
  const std::string text = render_csv(sample_report());

  EXPECT_THAT(text, StartsWith("run,trial,kernel,arch,memory,load,repetition,clock,verdict,reasons,"
                               "started,duration_s,limit_us,cpu,statistic,value\n"));
  EXPECT_THAT(text, HasSubstr("_sample,2,6.1-rt,arm64,default,hackbench,1,virtual,FAIL,"
                              "limit_exceeded,2026-08-30T21:00:00Z,1,150,all,max_us,208\n"));
  EXPECT_THAT(text, HasSubstr(",150,0,p50_us,50\n"));
  // INVALID: one row, no value.
  EXPECT_THAT(text, HasSubstr("INVALID,load_died,2026-08-30T21:00:00Z,1,150,all,max_us,\n"));
}

TEST(CsvReport, IsReadBackAsItWasWritten) {
  if (!can_run({"python3", "--version"})) GTEST_SKIP() << "needs python3";
  RunReport report = good_report();
  report.trials.resize(1);
  report.trials[0].cell["load"] = "a,\"b\"\nc";
  report.trials[0].cell["memory"] = "=HYPERLINK(1)";
  report.trials[0].cell["arch"] = "-1";
  const auto read = SystemCommands().run(
      {"python3", "-c",
       "import csv, sys\n"
       "rows = list(csv.DictReader(open(sys.argv[1], newline='')))\n"
       "print([rows[3][k] for k in ('load', 'memory', 'arch', 'statistic', 'value')])",
       file_of("sample.csv", render_csv(report))});

  EXPECT_THAT(read, testing::IsOkAnd(
                        HasSubstr(R"py(['a,"b" c', "'=HYPERLINK(1)", '-1', 'max_us', '140'])py")));
}

TEST(CiFormats, NoControlCharactersOfOthersReachThem) {
  for (const char* format : {"junit", "tap", "lava", "github", "openmetrics", "csv", "kcidb"}) {
    const auto text = render(hostile_report(), format);
    ASSERT_THAT(text, IsOk());
    EXPECT_EQ(text->find('\x1b'), std::string::npos) << format;
    EXPECT_EQ(text->find('\xff'), std::string::npos) << format;
    // The lines of a console stay lines where the format has a place for them.
    if (std::string_view(format) != "junit") {
      EXPECT_EQ(text->find("\n# x"), std::string::npos) << format;
    }
  }
}

}  // namespace
}  // namespace rtsweep
