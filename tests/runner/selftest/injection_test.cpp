// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/selftest/injection.h"

#include <gmock/gmock.h>

#include <set>

#include "runner/plan/plan.h"
#include "runner/selftest/causes.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::IsEmpty;

constexpr int64_t kMs = 1'000'000;

Explanation explanation_of(SegmentKind cause, std::string who) {
  return {.conclusion = Conclusion::kExplained, .cause = cause, .cause_who = std::move(who)};
}

TEST(Injection, EveryPlanOfAVmIsAPlan) {
  for (const InjectionVm& vm : injection_vms("")) {
    const auto plan = parse_plan(injection_plan(vm), "causes.toml");
    EXPECT_TRUE(plan) << vm.kind->name << ": " << (plan ? "" : plan.error().message());
  }
}

TEST(Injection, MakesAtLeastEightKindsOnTwoKernelsAndMoreThanTwoHundredDelays) {
  std::set<std::pair<std::string_view, std::string_view>> places;
  std::set<std::string_view> kinds;
  int delays = 0;
  for (const InjectionVm& vm : injection_vms("")) {
    kinds.insert(vm.kind->name);
    places.emplace(vm.kernel, vm.arch);
    delays += vm.count;
  }
  EXPECT_GE(kinds.size(), 8U);
  EXPECT_GE(delays, 240);
  for (const std::string_view kernel : {"6.1-rt", "6.12-rt"}) {
    EXPECT_TRUE(places.contains({kernel, "amd64"})) << kernel;
    EXPECT_TRUE(places.contains({kernel, "arm64"})) << kernel;
  }
  EXPECT_TRUE(places.contains({"6.1-rt", "i386"}));
}

TEST(Injection, OneKindCanBeChosenAndAnUnknownOneIsNone) {
  for (const InjectionVm& vm : injection_vms("irqs-off")) EXPECT_EQ(vm.kind->name, "irqs-off");
  EXPECT_THAT(injection_vms("no-such-kind"), IsEmpty());
}

TEST(Injection, ReadsTheDelaysAmongWhateverElseTheLoadPrinted) {
  const auto delays = made_delays(
      "pid 16's current scheduling policy: SCHED_OTHER\nirqs-off 1000 50\nirqs-off 3000 x\n"
      "softirq 1 2\nirqs-off 9000 70\nend\n",
      "irqs-off");

  ASSERT_EQ(delays.size(), 2U);
  EXPECT_EQ(delays[0].begin_ns, 1'000);
  EXPECT_EQ(delays[0].end_ns, 1'050);
  EXPECT_EQ(delays[1].end_ns, 9'070);
}

TEST(Injection, ALatencyIsInjectedWhenItOverlapsADelay) {
  const MadeDelay delays[] = {{100 * kMs, 102 * kMs}};
  EXPECT_TRUE(is_injected(delays, 101 * kMs, 103 * kMs, 0));
  EXPECT_TRUE(is_injected(delays, 90 * kMs, 110 * kMs, 0));
  EXPECT_FALSE(is_injected(delays, 103 * kMs, 104 * kMs, 0));
  EXPECT_TRUE(is_injected(delays, 103 * kMs, 104 * kMs, kMs));
  EXPECT_FALSE(is_injected({}, 0, 200 * kMs, kMs));
}

// The host's clock is 5 s ahead; the probe runs 1 ms after the guest goes on. One latency is
// of something else.
TEST(Injection, FindsTheGuestsClockByTheLatenciesOfPauses) {
  const MadeDelay paused[] = {
      {6'000 * kMs, 6'040 * kMs}, {6'400 * kMs, 6'430 * kMs}, {6'900 * kMs, 6'950 * kMs}};
  const int64_t ends[] = {1'041 * kMs, 1'300 * kMs, 1'431 * kMs, 1'951 * kMs};

  EXPECT_NEAR(static_cast<double>(clock_offset(paused, ends)) / kMs, 4'999.0, 2.0);
}

TEST(Injection, NamesWhatAnExplanationSays) {
  const auto named = [](SegmentKind cause, std::string who) {
    return named_kind(explanation_of(cause, std::move(who)));
  };
  EXPECT_EQ(named(SegmentKind::kHardIrq, "irq 7 rtsweep-slow"), "hard-irq");
  EXPECT_EQ(named(SegmentKind::kHardIrq, "local_timer: rtsweep_long_timer"), "hrtimer");
  EXPECT_EQ(named(SegmentKind::kHigherPriority, "pr/ttyS0-33 (RT priority 95)"), "console");
  EXPECT_EQ(named(SegmentKind::kHigherPriority, "hog-99 (RT priority 95)"), "fifo");
  EXPECT_EQ(named(SegmentKind::kSwitch, ""), "switch");
}

TEST(Injection, WhatIsNotExplainedIsUnknown) {
  Explanation likely = explanation_of(SegmentKind::kIrqsOff, "x");
  likely.conclusion = Conclusion::kNotProvable;
  EXPECT_EQ(named_kind(likely), "unknown");
  EXPECT_EQ(named_kind({}), "unknown");
}

InjectionResult result_of(size_t right, size_t wrong) {
  InjectionResult result{.kind = "irqs-off"};
  for (size_t i = 0; i < right + wrong; ++i) {
    result.injected.push_back({.sum_right = true, .right = i < right});
  }
  return result;
}

// The interval is that of R's binom.test(190, 200).
TEST(Causes, AreGoodWithNinetyFivePerCentRight) {
  const CausesSummary summary = summarize({result_of(190, 10)}, 200);

  EXPECT_TRUE(summary.good);
  EXPECT_DOUBLE_EQ(summary.rate, 0.95);
  EXPECT_NEAR(summary.rate_low, 0.9100, 5e-4);
  EXPECT_NEAR(summary.rate_high, 0.9758, 5e-4);
  EXPECT_FALSE(summarize({result_of(189, 11)}, 200).good);
}

TEST(Causes, AreNotGoodWithAWrongSumOrAVmThatSaysNothingOrWithoutOutliers) {
  InjectionResult wrong_sum = result_of(100, 0);
  wrong_sum.injected[7].sum_right = false;
  EXPECT_FALSE(summarize({wrong_sum}, 1).good);
  EXPECT_FALSE(
      summarize({result_of(100, 0), {.kind = "idle-exit", .error = "no headers"}}, 1).good);
  EXPECT_FALSE(summarize({}, 0).good);
  EXPECT_FALSE(summarize({result_of(199, 0)}, kEnoughOutliers).good);
}

}  // namespace
}  // namespace rtsweep
