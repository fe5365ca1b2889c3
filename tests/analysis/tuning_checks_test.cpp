// SPDX-License-Identifier: GPL-2.0-or-later

#include <gmock/gmock.h>

#include "tests/analysis/good_trial.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::good_trial;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judge;

TuningResult governor(const std::string& policy) {
  return {.setting = "governor",
          .file = "/sys/devices/system/cpu/cpufreq/" + policy + "/scaling_governor",
          .wanted = "performance",
          .before = "schedutil",
          .effective = "performance",
          .at_end = "performance",
          .restored = "schedutil"};
}

TrialEvidence tuned(std::vector<TuningResult> results) {
  TrialEvidence evidence = good_trial();
  evidence.tuned = true;
  evidence.tuning = std::move(results);
  return evidence;
}

TEST(TuningChecks, FindNothingWrongWithWhatTookEffectAndWasUndone) {
  EXPECT_THAT(judge(tuned({governor("policy0"), governor("policy4")})), IsEmpty());
}

TEST(TuningChecks, TellASettingOnceWithItsFirstFile) {
  TuningResult first = governor("policy0");
  first.effective = "schedutil";
  TuningResult second = governor("policy4");
  second.effective.reset();
  second.error = "write: Permission denied";

  const auto reasons = judge_trial(tuned({first, second}));

  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].code, "tuning_not_effective");
  EXPECT_EQ(verdict_of(reasons), Verdict::kInvalid);
  EXPECT_THAT(reasons[0].text,
              HasSubstr("governor: /sys/devices/system/cpu/cpufreq/policy0/scaling_governor was "
                        "set to \"performance\" and has \"schedutil\", and 1 more; "));
}

TEST(TuningChecks, TellWhatDidNotLast) {
  TuningResult result = governor("policy0");
  result.at_end = "powersave";

  const auto reasons = judge_trial(tuned({result}));

  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_THAT(reasons[0].text, HasSubstr("and had \"powersave\" at the end"));
}

TEST(TuningChecks, LetAnInterruptRefuse) {
  EXPECT_THAT(judge(tuned({{.setting = "irq_affinity",
                            .file = "/proc/irq/9/smp_affinity_list",
                            .wanted = "0",
                            .before = "0-1",
                            .effective = "0-1",
                            .restored = "0-1",
                            .error = "Input/output error",
                            .refused = true}})),
              IsEmpty());
}

TEST(TuningChecks, WarnOfWhatStaysChanged) {
  TuningResult result = governor("policy0");
  result.restored = "performance";

  const auto reasons = judge_trial(tuned({result}));

  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].code, "tuning_not_restored");
  EXPECT_EQ(verdict_of(reasons), Verdict::kPass);
  EXPECT_THAT(reasons[0].text, HasSubstr("has \"performance\" instead of \"schedutil\""));
}

TEST(TuningChecks, WantToBeToldWhatBecameOfTuning) {
  TrialEvidence silent = good_trial();
  silent.tuned = true;

  EXPECT_THAT(judge(silent), ElementsAre("tuning_not_effective"));

  silent.ending = TrialEnding::kInterrupted;
  EXPECT_THAT(judge(silent), ElementsAre("interrupted"));
}

}  // namespace
}  // namespace rtsweep
