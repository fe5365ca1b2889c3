// SPDX-License-Identifier: GPL-2.0-or-later

#include <gmock/gmock.h>

#include "analysis/report/render.h"
#include "tests/analysis/report/sample_report.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::cpu_with;
using testing::FailsWith;
using testing::golden;
using ::testing::HasSubstr;
using testing::hostile_report;
using testing::IsOkAnd;
using ::testing::Not;
using testing::sample_report;

TEST(MarkdownReport, IsTheGoldenOne) {
  const std::string text = render_markdown(sample_report());

  EXPECT_EQ(text, golden("sample.md", text));
}

TEST(MarkdownReport, ShowsTheWorstUsableRepetitionOfEachCell) {
  const std::string text = render_markdown(sample_report());

  EXPECT_THAT(text, HasSubstr("| kernel | arch | idle | hackbench |\n| --- | --- | ---: | ---: |"));
  EXPECT_THAT(text, HasSubstr("| 6.1-rt | arm64 | 140 | **208**\\*+ |"));
  EXPECT_THAT(text, HasSubstr("| 6.1-rt | armhf | 65+ | INVALID |"));
}

TEST(MarkdownReport, HasARowForEachKindOfSamples) {
  RunReport report = sample_report();
  TrialResult& trial = report.trials.front();
  for (const int cpu : {0, 1}) trial.other_kinds.push_back(cpu_with(cpu, {{3, 50}, {9, 50}}));
  for (CpuResult& cpu : trial.cpus) cpu.kind = "thread";
  for (CpuResult& cpu : trial.other_kinds) cpu.kind = "irq";
  trial.probe = "timerlat";

  const std::string text = render_markdown(report);

  // (3 + 9) / 2 of two CPUs.
  EXPECT_THAT(text, HasSubstr("| irq | 3 | 6.0 | 9 | 200 |\n"));
  EXPECT_THAT(text, HasSubstr("| thread | 37 |"));
  EXPECT_THAT(text, HasSubstr("Maximum wakeup latency in us"));
}

TEST(MarkdownReport, HostileTextIsNoMarkup) {
  const std::string text = render_markdown(hostile_report());

  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  EXPECT_THAT(text, Not(HasSubstr("\n# x")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Render, KnowsEachFormatByName) {
  const RunReport report = sample_report();

  EXPECT_THAT(render(report, "text"), IsOkAnd(render_text(report)));
  EXPECT_THAT(render(report, "json"), IsOkAnd(render_json(report)));
  EXPECT_THAT(render(report, "md"), IsOkAnd(render_markdown(report)));
  EXPECT_THAT(render(report, "html"), IsOkAnd(render_html(report)));
}

TEST(Render, NamesTheWrongWordAndTheNearestRightOne) {
  EXPECT_THAT(render(sample_report(), "htlm"),
              FailsWith(Errc::kInvalidPlan,
                        "unknown report format 'htlm', did you mean 'html'? (there are: text, "
                        "html, json, md, junit, tap, kcidb, lava, github, openmetrics, csv)"));
}

}  // namespace
}  // namespace rtsweep
