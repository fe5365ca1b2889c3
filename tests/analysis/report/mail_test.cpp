// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/mail.h"

#include <gmock/gmock.h>

#include "analysis/report/kernel_version.h"
#include "analysis/report/pictures.h"
#include "analysis/report/plain_text.h"
#include "runner/base/text.h"
#include "tests/analysis/report/sample_report.h"

namespace rtsweep {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::hostile_report;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::sample_report;
using ::testing::SizeIs;
using ::testing::StartsWith;

// A trial of a kernel, with the verdict that its limit gives.
TrialResult trial_of(int id, const std::string& kernel, const std::string& release, Verdict verdict,
                     int64_t max_us) {
  TrialResult trial = testing::trial_with(id, {{"kernel", kernel}, {"load", "hackbench"}},
                                          {testing::cpu_with(0, {{5, 99}, {max_us, 1}})});
  trial.verdict = verdict;
  trial.limit_us = 100;
  trial.facts.emplace();
  trial.facts->kernel_release = release;
  trial.facts->machine = "x86_64";
  return trial;
}

RunReport regression() {
  RunReport report{.name = "versions", .rtsweep_version = "0.1.0"};
  report.trials = {trial_of(1, "6.1", "6.1.176-rt1", Verdict::kPass, 50),
                   trial_of(2, "6.6", "6.6.9-rt1", Verdict::kPass, 60),
                   trial_of(3, "6.12", "6.12.8-rt1", Verdict::kFail, 208)};
  return report;
}

std::string mail_of(const RunReport& report, const TrialResult& trial) {
  MailContent content{.report = report, .trial = trial};
  content.bundle_file = "x.tar.zst";
  return render_mail(content);
}

TEST(Mail, IsARegressionReportWhenAnOlderKernelKeptTheLimit) {
  const RunReport report = regression();

  const std::string mail = mail_of(report, report.trials[2]);

  EXPECT_THAT(mail, HasSubstr("\nCc: regressions@lists.linux.dev, linux-kernel@vger.kernel.org\n"));
  EXPECT_THAT(mail, HasSubstr("\nSubject: [REGRESSION] wakeup latency of 208 us on 6.12.8-rt1"));
  EXPECT_THAT(mail, HasSubstr("\n#regzbot introduced: v6.6.9..v6.12.8\n"));
  EXPECT_THAT(mail, HasSubstr("6.1     1           PASS"));
}

TEST(Mail, ClaimsNoRegressionWithoutAnOlderKernelThatPassedEveryTime) {
  RunReport report = regression();
  report.trials[0].verdict = Verdict::kFail;
  report.trials[1].verdict = Verdict::kPass;
  report.trials.push_back(trial_of(4, "6.6", "6.6.9-rt1", Verdict::kFail, 300));

  EXPECT_EQ(regression_range(report, report.trials[2]), std::nullopt);
  EXPECT_THAT(mail_of(report, report.trials[2]), Not(HasSubstr("[REGRESSION]")));
}

TEST(Mail, ComparesOnlyCellsThatAreTheSameButForTheKernel) {
  RunReport report = regression();
  report.trials[0].cell["load"] = "idle";
  report.trials[1].virtual_clock = true;

  EXPECT_EQ(regression_range(report, report.trials[2]), std::nullopt);
}

TEST(Mail, HasNoLineOver72ColumnsWhateverItIsMadeOf) {
  for (const RunReport& report : {sample_report(), hostile_report()}) {
    for (const TrialResult& trial : report.trials) {
      const std::string mail = mail_of(report, trial);
      for (const std::string& line : split(mail, '\n')) {
        EXPECT_LE(columns_of(line), 72u) << line;
        EXPECT_EQ(line.find('\x1b'), std::string::npos);
      }
    }
  }
}

TEST(Mail, BreaksCommandLinesSoThatAShellReadsThem) {
  const RunReport report = regression();
  MailContent content{.report = report, .trial = report.trials[2]};
  content.probe_command = {"cyclictest",    "--mlockall",    "--threads=4",     "--affinity=0-3",
                           "--policy=fifo", "--priority=90", "--interval=1000", "--quiet"};
  content.load_commands = {{"sh", "-c", "while :; do ls; done"}};

  const std::string mail = render_mail(content);

  EXPECT_THAT(mail, HasSubstr("\n  cyclictest --mlockall --threads=4 --affinity=0-3 "
                              "--policy=fifo \\\n     --priority=90 --interval=1000 --quiet\n"));
  EXPECT_THAT(mail, HasSubstr("\n  sh -c 'while :; do ls; done'\n"));
}

TEST(KernelVersion, IsReadFromReleasesOfDistributions) {
  EXPECT_EQ(upstream_version("6.12.117+deb13-rt-arm64"), (UpstreamVersion{6, 12, 117}));
  EXPECT_EQ(upstream_version("6.1.0-50-rt-amd64"), (UpstreamVersion{6, 1, 0}));
  EXPECT_EQ(upstream_version("6.13-rc2"), (UpstreamVersion{6, 13, 0}));
  EXPECT_EQ(upstream_version("rt-kernel"), std::nullopt);
  EXPECT_EQ(upstream_tag({6, 1, 0}), "v6.1");
}

TEST(Pictures, OfATrialWithoutSamplesAreEmpty) { EXPECT_EQ(histogram_svg(TrialResult{}, "x"), ""); }

TEST(Pictures, SayWhatTheyShow) {
  const RunReport report = sample_report();

  const std::string svg = histogram_svg(report.trials[1], "a title");

  EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  for (const char* words : {"a title", "100 samples", "maximum 208 us", "virtual time",
                            "limit 150 us", "latency in us", "CPU 0: max 208 us"}) {
    EXPECT_THAT(svg, HasSubstr(words));
  }
}

// As text and as attributes alike.
TEST(Pictures, LetNoMarkupThrough) {
  TimelinePicture picture{.headline = testing::kHostile,
                          .begin_ns = -1000,
                          .end_ns = 9000,
                          .latency_ns = 5000,
                          .cpu = 0};
  picture.rows = {{.cpu = 0,
                   .blocks = {{.begin_ns = 0,
                               .end_ns = 8000,
                               .name = testing::kHostile,
                               .priority = testing::kHostile}}}};
  picture.segments = {{0, 5000, testing::kHostile}};
  const RunReport report = hostile_report();

  for (const std::string& svg : {timeline_svg(picture, testing::kHostile),
                                 histogram_svg(report.trials[0], testing::kHostile)}) {
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_THAT(svg, Not(HasSubstr("<img")));
    EXPECT_THAT(svg, Not(HasSubstr("\x1b")));
  }
}

}  // namespace
}  // namespace rtsweep
