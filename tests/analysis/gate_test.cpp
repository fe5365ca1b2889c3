// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/gate.h"

#include <gmock/gmock.h>

#include "analysis/baseline.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::IsOk;
using ::testing::Not;

using Counts = std::initializer_list<std::pair<int64_t, uint64_t>>;

TrialResult trial(int id, const std::string& load, int repetition, Counts counts,
                  uint64_t overflows = 0) {
  CpuResult cpu;
  cpu.cpu = 0;
  cpu.histogram = LatencyHistogram(Latency(1000));
  for (const auto& [us, times] : counts) {
    cpu.histogram.add(Latency(us), times);
    cpu.max_us = us;
  }
  cpu.histogram.add_overflows(overflows);
  if (overflows > 0) cpu.max_us = 5000;
  cpu.min_us = counts.begin()->first;
  cpu.cycles = cpu.histogram.samples();
  TrialResult result{.id = id,
                     .cell = {{"kernel", "6.1-rt"}, {"load", load}},
                     .repetition = repetition,
                     .verdict = Verdict::kPass,
                     .probe = "cyclictest",
                     .probe_sha256 = "aa",
                     .duration_s = 3600,
                     .limit_us = 100};
  result.cpus = {cpu};
  result.started = "2026-08-30T2" + std::to_string(repetition % 10) + ":00:00Z";
  return result;
}

RunReport run_of(std::vector<TrialResult> trials) {
  RunReport report{.name = "n", .run = "run", .rtsweep_version = "1", .target = "vm"};
  report.factors = {"kernel", "load"};
  report.levels = {{"kernel", {"6.1-rt"}}, {"load", {"idle", "busy"}}};
  report.kernels = {{.name = "6.1-rt", .arch = "arm64", .release = "6.1", .image_sha256 = "bb"}};
  report.emulator = "QEMU 7.2";
  report.planned = static_cast<int>(trials.size());
  report.trials = std::move(trials);
  return report;
}

RunReport virtual_run(std::vector<TrialResult> trials) {
  for (TrialResult& trial : trials) {
    trial.virtual_clock = true;
    trial.ns_per_instruction = 8;
  }
  return run_of(std::move(trials));
}

Gate gate_of(std::vector<GateCheck> checks) { return {.run = "run", .checks = std::move(checks)}; }

TEST(Gate, PassesWhenAllCellsAreWithinTheLimit) {
  const Gate gate = gate_of(gate_limits(run_of({trial(1, "idle", 1, {{40, 100}})})));

  EXPECT_EQ(gate.answer(), GateAnswer::kPass);
  EXPECT_EQ(gate.checks[1].text, "Maximum 40 us of 100 samples in 1 trial, limit 100 us.");
}

TEST(Gate, FailsWhenOneTrialFailedAlthoughAnotherIsInvalid) {
  RunReport report = run_of({trial(1, "idle", 1, {{140, 100}}), trial(2, "busy", 1, {{40, 100}})});
  report.trials[0].verdict = Verdict::kFail;
  report.trials[1].verdict = Verdict::kInvalid;
  report.trials[1].reasons = {{"load_died", Severity::kInvalid, "x"}};
  const Gate gate = gate_of(gate_limits(report));

  EXPECT_EQ(gate.answer(), GateAnswer::kFail);
  EXPECT_EQ(gate.checks[2].text, " Not to be used: #2 INVALID (load_died).");
}

TEST(Gate, IsInvalidWithoutAnyLimitAndWhenTheRunWasCutShort) {
  RunReport report = run_of({trial(1, "idle", 1, {{40, 100}})});
  report.trials[0].limit_us.reset();
  EXPECT_EQ(gate_of(gate_limits(report)).answer(), GateAnswer::kInvalid);

  report = run_of({trial(1, "idle", 1, {{40, 100}})});
  report.planned = 2;
  EXPECT_EQ(gate_of(gate_limits(report)).answer(), GateAnswer::kInvalid);
  EXPECT_EQ(gate_of({}).answer(), GateAnswer::kInvalid);
}

// Zero events prove a rate of 3 / time (2.996, chi-squared table, 95 %); two events 6.296 / time.
TEST(GateRate, ProvesARateWithAsFewFalseAlarmsAsTheTimeAllows) {
  std::vector<TrialResult> trials;
  for (int r = 1; r <= 7; ++r) trials.push_back(trial(r, "idle", r, {{40, 100}}));
  // One event above 100 us in 7 h, where 1 per hour is allowed: c = 2 needs 6.3 h.
  trials[0] = trial(1, "idle", 1, {{40, 99}, {101, 1}});
  const auto checks = gate_rate(run_of(trials), {.limit_us = 100, .per_hour = 1});

  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].answer, GateAnswer::kPass);
  EXPECT_THAT(checks[0].text, HasSubstr("1 event above 100 us in 7 h. At most 2 events in 6.3 h "
                                        "proves below 1 per hour with 95 % confidence"));
}

TEST(GateRate, CountsASampleAtTheLimitAsWithinIt) {
  const auto checks = gate_rate(run_of({trial(1, "idle", 1, {{100, 5}, {101, 2}}, 1)}),
                                {.limit_us = 100, .per_hour = 100});

  EXPECT_THAT(checks[0].text, HasSubstr("3 events above 100 us"));
}

TEST(GateRate, RefusesWhatTheTimeCannotDecideAndSaysWhatItTakes) {
  RunReport report = run_of({trial(1, "idle", 1, {{40, 100}})});
  report.trials[0].duration_s = 600;
  const auto checks = gate_rate(report, {.limit_us = 100, .per_hour = 1.0 / 24});

  EXPECT_EQ(checks[0].answer, GateAnswer::kInvalid);
  // 2.996 / (1/6 h) = 18 per hour; 2.996 * 24 = 71.9 h; 6.296 * 24 = 151 h.
  EXPECT_THAT(checks[0].text, HasSubstr("0.167 h can prove at best 18 per hour above 100 us"));
  EXPECT_THAT(checks[0].text, HasSubstr("71.9 h without any event, or 151 h with at most two"));
}

TEST(GateRate, FailsAClearlyBadSystemBeforeItsTime) {
  RunReport report = run_of({trial(1, "idle", 1, {{40, 94}, {200, 6}})});
  const auto checks = gate_rate(report, {.limit_us = 100, .per_hour = 1.0 / 24});

  EXPECT_EQ(checks[0].answer, GateAnswer::kFail);
  EXPECT_THAT(checks[0].text, HasSubstr("6 events above 100 us in 1 h. The limit is 1 per 24 h"));
}

TEST(GateRate, KnowsNoRatesInVirtualTime) {
  const auto checks =
      gate_rate(virtual_run({trial(1, "idle", 1, {{40, 9}})}), {.limit_us = 100, .per_hour = 1});

  EXPECT_EQ(checks[0].answer, GateAnswer::kInvalid);
}

TEST(GatePlan, SaysBeforeTheRunWhetherItCanDecide) {
  EXPECT_EQ(gate_plan(600, 1, {.limit_us = 100, .per_hour = 1.0 / 24}).answer,
            GateAnswer::kInvalid);
  const GateCheck long_enough = gate_plan(36000, 16, {.limit_us = 100, .per_hour = 1.0 / 24});
  EXPECT_EQ(long_enough.answer, GateAnswer::kPass);
  EXPECT_THAT(long_enough.text, HasSubstr("160 h of each cell can decide it. At most 2 events"));
}

TEST(GateBaseline, VirtualTimeMustRepeatEverySample) {
  const RunReport run = virtual_run({trial(1, "idle", 1, {{40, 90}, {60, 10}})});
  const auto baseline = parse_baseline(render_baseline(run));
  ASSERT_THAT(baseline, IsOk());

  const auto same = gate_baseline(run, *baseline, {});
  ASSERT_EQ(same.size(), 1u);
  EXPECT_EQ(same[0].answer, GateAnswer::kPass);
  EXPECT_EQ(same[0].text, "All 100 samples are those of the baseline.");

  const auto moved = gate_baseline(
      virtual_run({trial(1, "idle", 1, {{40, 89}, {41, 1}, {60, 10}})}), *baseline, {});
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].answer, GateAnswer::kFail);
  EXPECT_THAT(moved[0].text, HasSubstr("CPU 0: 89 samples of 40 us, 90 in the baseline"));
}

TEST(GateBaseline, AnotherImageIsComparedByItsTail) {
  std::vector<TrialResult> old_trials, worse;
  for (int r = 1; r <= 6; ++r) {
    old_trials.push_back(trial(r, "idle", r, {{40, 900}, {60 + r, 100}}));
    worse.push_back(trial(r, "idle", r, {{40, 900}, {180 + r, 100}}));
  }
  const RunReport baseline = virtual_run(old_trials);
  RunReport other = virtual_run(worse);
  other.kernels[0].image_sha256 = "cc";

  const auto checks = gate_baseline(other, baseline, {.alpha = 0.01});
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].kind, "tail");
  EXPECT_EQ(checks[0].answer, GateAnswer::kFail);
  EXPECT_THAT(checks[0].text, HasSubstr("Regression"));

  RunReport unchanged = baseline;
  unchanged.kernels[0].image_sha256 = "cc";
  EXPECT_EQ(gate_baseline(unchanged, baseline, {.alpha = 0.01})[0].answer, GateAnswer::kPass);
}

TEST(GateBaseline, AnUnknownImageIsNotTheSame) {
  RunReport run = virtual_run({trial(1, "idle", 1, {{40, 90}})});
  run.kernels[0].image_sha256.clear();

  EXPECT_THAT(gate_baseline(run, run, {}), ElementsAre(Field(&GateCheck::kind, "tail")));
}

TEST(GateBaseline, ACellThatOnlyOneSideHasIsInvalid) {
  const RunReport both =
      virtual_run({trial(1, "idle", 1, {{40, 90}}), trial(2, "busy", 1, {{50, 90}})});
  const RunReport one = virtual_run({trial(1, "idle", 1, {{40, 90}})});

  const Gate fewer = gate_of(gate_baseline(one, both, {}));
  EXPECT_EQ(fewer.answer(), GateAnswer::kInvalid);
  EXPECT_THAT(fewer.checks[1].text, HasSubstr("not measured by this run"));
  EXPECT_EQ(gate_of(gate_baseline(both, one, {})).answer(), GateAnswer::kInvalid);
}

TEST(Baseline, IsReadBackAsItWasRecorded) {
  RunReport run = run_of({trial(1, "idle", 1, {{40, 90}, {999, 1}}, 2)});
  const auto read = parse_baseline(render_baseline(run));

  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->trials[0].cpus[0].histogram, run.trials[0].cpus[0].histogram);
  EXPECT_EQ(read->trials[0].max_us(), 5000);
  EXPECT_EQ(read->trials[0].cell, run.trials[0].cell);
  EXPECT_EQ(read->kernels[0].image_sha256, "bb");
  EXPECT_EQ(render_baseline(*read), render_baseline(run));
}

TEST(Baseline, LeavesOutTrialsThatCannotBeBelieved) {
  RunReport run = run_of({trial(1, "idle", 1, {{40, 90}}), trial(2, "busy", 1, {{40, 90}})});
  run.trials[1].verdict = Verdict::kInvalid;

  const auto read = parse_baseline(render_baseline(run));
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->trials.size(), 1u);
}

TEST(Baseline, RefusesWhatIsNone) {
  const std::string good = render_baseline(run_of({trial(1, "idle", 1, {{40, 90}})}));
  const auto with = [&](const std::string& old_text, const std::string& new_text) {
    std::string text = good;
    text.replace(text.find(old_text), old_text.size(), new_text);
    return parse_baseline(text);
  };

  ASSERT_THAT(parse_baseline(good), IsOk());
  EXPECT_THAT(parse_baseline("{"), FailsWith(Errc::kBadData, "parse error"));
  EXPECT_THAT(parse_baseline("[]"), Not(IsOk()));
  EXPECT_THAT(with("\"version\":1", "\"version\":2"),
              FailsWith(Errc::kBadData, "version 2, and this rtsweep reads 1"));
  EXPECT_THAT(with("[40,90]", "[40,91]"), FailsWith(Errc::kBadData, "do not add up"));
  EXPECT_THAT(with("[40,90]", "[-40,90]"), FailsWith(Errc::kBadData, "latency"));
  EXPECT_THAT(with("[40,90]", "[40,18446744073709551615]"),
              FailsWith(Errc::kBadData, "count that no run has"));
  EXPECT_THAT(with("[40,90]", "[40]"), Not(IsOk()));
  EXPECT_THAT(with("\"end_us\":1000", "\"end_us\":1e300"), Not(IsOk()));
}

}  // namespace
}  // namespace rtsweep
