// SPDX-License-Identifier: GPL-2.0-or-later

// Two runs held against each other, and how the answer reads.

#include "analysis/report/comparison.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/run_comparison.h"
#include "tests/analysis/report/sample_report.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using statistics::Answer;
using ::testing::HasSubstr;
using ::testing::Not;

// Ten seconds at 1 kHz: nearly all at 20 us, a hundred at 3/4 of the maximum, and the maximum.
TrialResult trial(const std::string& kernel, const std::string& load, int repetition,
                  int64_t maximum) {
  TrialResult result = testing::trial_with(
      repetition, {{"kernel", kernel}, {"load", load}},
      {testing::cpu_with(0, {{20, 9899}, {maximum * 3 / 4, 100}, {maximum, 1}})});
  result.repetition = repetition;
  result.duration_s = 10;
  result.virtual_clock = true;
  return result;
}

const std::vector<int64_t> kMaxima = {100, 104, 97, 101, 98};

// Five repetitions under each load, `factor` times as long under hackbench.
RunReport run_of(const std::string& kernel, double factor) {
  RunReport report{.run = "run-" + kernel};
  const double scatter[] = {1.01, 0.99, 1.02, 0.98, 1.0};
  for (int repetition = 1; repetition <= 5; ++repetition) {
    const auto i = static_cast<size_t>(repetition - 1);
    const auto longer = static_cast<int64_t>(static_cast<double>(kMaxima[i]) * factor * scatter[i]);
    report.trials.push_back(trial(kernel, "idle", repetition, kMaxima[i] / 2));
    report.trials.push_back(trial(kernel, "hackbench", repetition, longer));
  }
  return report;
}

// Real time, with the old and the new trials at these minutes.
void measured_at(RunReport& report, int first_minute, int every) {
  int minute = first_minute;
  for (TrialResult& one : report.trials) {
    one.virtual_clock = false;
    one.started = "2026-11-30T16:" + std::to_string(10 + minute) + ":00Z";
    minute += every;
  }
}

RunComparison compared(const RunReport& old_report, const RunReport& new_report) {
  auto comparison = compare_runs(old_report, new_report, {});
  EXPECT_TRUE(comparison) << comparison.error().message();
  return comparison ? *comparison : RunComparison{};
}

const ComparedCell& under(const RunComparison& comparison, const std::string& load) {
  for (const ComparedCell& cell : comparison.cells) {
    if (cell.cell.at("load") == load) return cell;
  }
  ADD_FAILURE() << "no cell under " << load;
  return comparison.cells.front();
}

TEST(CompareRuns, FindsTheCellThatGotWorse) {
  const auto comparison = compared(run_of("6.1-rt", 1), run_of("6.12-rt", 1.6));

  EXPECT_EQ(comparison.answer(), Answer::kRegression);
  ASSERT_EQ(comparison.cells.size(), 2u);
  EXPECT_EQ(under(comparison, "hackbench").result.answer, Answer::kRegression);
  EXPECT_EQ(under(comparison, "idle").result.answer, Answer::kNoRegression);
  EXPECT_EQ(comparison.old_side.levels, (Cell{{"kernel", "6.1-rt"}}));
  EXPECT_EQ(comparison.new_side.levels, (Cell{{"kernel", "6.12-rt"}}));
}

TEST(CompareRuns, OfARunWithItselfFindsNothing) {
  const auto report = run_of("6.1-rt", 1);

  const auto comparison = compared(report, report);

  EXPECT_EQ(comparison.answer(), Answer::kNoRegression);
  EXPECT_TRUE(comparison.old_side.levels.empty());
}

TEST(CompareRuns, PairsTrialsThatWereMeasuredInTurns) {
  auto olds = run_of("6.1-rt", 1);
  auto news = run_of("6.12-rt", 1);
  measured_at(olds, 0, 2);
  measured_at(news, 1, 2);

  EXPECT_TRUE(under(compared(olds, news), "idle").result.interleaved);
}

TEST(CompareRuns, DoesNotPairOneRunAfterTheOther) {
  auto olds = run_of("6.1-rt", 1);
  auto news = run_of("6.12-rt", 1.6);
  measured_at(olds, 0, 1);
  measured_at(news, 20, 1);

  const auto comparison = compared(olds, news);

  EXPECT_FALSE(under(comparison, "hackbench").result.interleaved);
  EXPECT_THAT(under(comparison, "hackbench").sentence, HasSubstr("not interleaved"));
}

// Two old ones, then two new ones: each session has its own temperature.
TEST(CompareRuns, DoesNotPairTwoAndTwo) {
  auto olds = run_of("6.1-rt", 1);
  auto news = run_of("6.12-rt", 1);
  olds.trials.resize(4);
  news.trials.resize(4);
  measured_at(olds, 0, 1);
  measured_at(news, 20, 1);

  const auto comparison = compared(olds, news);

  EXPECT_FALSE(under(comparison, "idle").result.interleaved);
  EXPECT_EQ(comparison.answer(), Answer::kUnclear);
}

TEST(CompareRuns, LeavesOutWhatCannotBeBelieved) {
  auto news = run_of("6.12-rt", 1);
  for (TrialResult& one : news.trials) {
    if (one.repetition == 3) one.verdict = Verdict::kInvalid;
  }

  const auto comparison = compared(run_of("6.1-rt", 1), news);

  EXPECT_EQ(comparison.new_side.unusable, 2u);
  EXPECT_EQ(under(comparison, "idle").result.new_runs, 4u);
  EXPECT_EQ(under(comparison, "idle").result.old_runs, 4u);  // its repetition 3 has no partner
}

TEST(CompareRuns, RefusesTrialsOfDifferentLength) {
  auto news = run_of("6.12-rt", 1);
  for (TrialResult& one : news.trials) one.duration_s = 60;

  const auto comparison = compared(run_of("6.1-rt", 1), news);

  EXPECT_EQ(comparison.answer(), Answer::kUnclear);
  EXPECT_THAT(comparison.cells.front().sentence, HasSubstr("trials of 10 s and of 60 s"));
}

TEST(CompareRuns, NeedsACommonCell) {
  auto news = run_of("6.12-rt", 1);
  for (TrialResult& one : news.trials) {
    one.cell["load"] = one.cell["load"] == "idle" ? "cpu" : "memory";
  }

  EXPECT_THAT(compare_runs(run_of("6.1-rt", 1), news, {}),
              testing::FailsWith(Errc::kBadData, "no cell"));
}

TEST(CompareRuns, HoldsOneLevelAgainstAnotherWithinARun) {
  auto both = run_of("6.1-rt", 1);
  for (const TrialResult& one : run_of("6.12-rt", 1.6).trials) both.trials.push_back(one);

  const auto olds = select_levels(both, {{"kernel", "6.1-rt"}});
  const auto news = select_levels(both, {{"kernel", "6.12-rt"}});

  ASSERT_TRUE(olds && news);
  EXPECT_EQ(olds->trials.size(), 10u);
  EXPECT_EQ(compared(*olds, *news).answer(), Answer::kRegression);
  EXPECT_THAT(select_levels(both, {{"kernel", "6.6-rt"}}),
              testing::FailsWith(Errc::kInvalidPlan, "it has: 6.1-rt, 6.12-rt"));
  EXPECT_THAT(select_levels(both, {{"colour", "red"}}),
              testing::FailsWith(Errc::kInvalidPlan, "no factor \"colour\""));
}

TEST(ComparisonText, BeginsWithTheAnswer) {
  const std::string text =
      render_comparison_text(compared(run_of("6.1-rt", 1), run_of("6.12-rt", 1.6)));

  EXPECT_THAT(text, ::testing::StartsWith("Regression in 1 of 2 cells\n"));
  EXPECT_THAT(text, HasSubstr("Old      run-6.1-rt: kernel 6.1-rt, 10 trials"));
  EXPECT_THAT(text, HasSubstr("hackbench: Regression: the typical worst interval is"));
}

TEST(ComparisonText, KeepsToTheWidthOfAMail) {
  const std::string text =
      render_comparison_text(compared(run_of("6.1-rt", 1), run_of("6.12-rt", 1.6)));

  size_t start = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    EXPECT_LE(end - start, 72u) << text.substr(start, end - start);
    start = end + 1;
  }
}

TEST(ComparisonJson, HasTheAnswersAndTheirNumbers) {
  const auto json = nlohmann::json::parse(
      render_comparison_json(compared(run_of("6.1-rt", 1), run_of("6.12-rt", 1.6))));

  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["answer"], "regression");
  EXPECT_EQ(json["new"]["levels"]["kernel"], "6.12-rt");
  const auto& cell = json["cells"][1];
  EXPECT_EQ(cell["cell"]["load"], "hackbench");
  EXPECT_EQ(cell["interleaved"], true);
  EXPECT_NEAR(cell["run_maximum"]["ratio"].get<double>(), 1.6, 0.03);
  EXPECT_LT(cell["p_worse_in_family"].get<double>(), 0.05);
}

}  // namespace
}  // namespace rtsweep
