// SPDX-License-Identifier: GPL-2.0-or-later

// The faults that need no VM: each is caught with its own reason, a good trial has none,
// and every reason of the catalogue has a fault.

#include <gmock/gmock.h>

#include <set>

#include "analysis/reason_catalogue.h"
#include "runner/selftest/doctored_trial.h"
#include "runner/selftest/fault.h"
#include "runner/selftest/real_fault.h"
#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::FailsWith;
using testing::FakeHost;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DoctoredFaults, AreAllCaughtWithTheirOwnReason) {
  const FakeHost host;
  const auto outcomes = run_faults({.scratch = host.root().path("faults"), .real = false},
                                   [](const FaultOutcome&) {});
  ASSERT_TRUE(outcomes) << outcomes.error().message();
  EXPECT_THAT(outcomes->size(), Ge(40U));
  for (const FaultOutcome& outcome : *outcomes) {
    EXPECT_TRUE(outcome.caught) << outcome.name << ": " << outcome.note;
    EXPECT_TRUE(outcome.control_ok) << outcome.name << ": " << outcome.note;
  }
}

TEST(DoctoredFaults, BeginFromATrialWithNothingWrong) {
  const FakeHost host;
  const auto good = judge_doctored(good_doctored_trial(), host.root().path("good"));
  ASSERT_TRUE(good) << good.error().message();
  EXPECT_THAT(good->reasons, IsEmpty());
  EXPECT_EQ(good->max_us(), 80);
}

// Reasons that only files of other tools, or the plan, can have.
const std::set<std::string_view> kNotOfTrials = {"samples_unknown", "maximum_unknown",
                                                 "overflow_known"};

TEST(Faults, ExistForEveryReason) {
  std::set<std::string_view> codes = kNotOfTrials;
  for (const DoctoredFault& fault : doctored_faults()) codes.insert(fault.code);
  for (const RealFault& fault : real_faults()) codes.insert(fault.code);
  for (const ReasonEntry& entry : reason_catalogue()) {
    EXPECT_TRUE(codes.contains(entry.code)) << entry.code;
  }
}

TEST(Faults, HaveNamesOfTheirOwnAndReasonsOfTheCatalogue) {
  std::set<std::string_view> names;
  for (const DoctoredFault& fault : doctored_faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_NE(find_reason(fault.code), nullptr) << fault.code;
  }
  for (const RealFault& fault : real_faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_NE(find_reason(fault.code), nullptr) << fault.code;
  }
}

TEST(Faults, AreFoundByTheirNearestName) {
  const FakeHost host;
  EXPECT_THAT(run_faults({.scratch = host.root().path("x"), .only = "kernel-panik"},
                         [](const FaultOutcome&) {}),
              FailsWith(Errc::kInvalidPlan, "did you mean 'kernel-panic'?"));
}

}  // namespace
}  // namespace rtsweep
