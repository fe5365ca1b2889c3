// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/kernel_names.h"

#include <gmock/gmock.h>

#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;

const std::vector<KernelEntry> kKnown = {
    {.name = "6.1-rt", .arch = "arm64", .rt = true},
    {.name = "6.1-rt", .arch = "i386", .rt = true},
    {.name = "6.12-rt", .arch = "arm64", .rt = true},
    {.name = "6.1", .arch = "arm64", .rt = false},
};

Plan plan_with(const std::string& text) {
  auto plan =
      parse_plan(text + "[factors]\narch = \"arm64\"\nkernel = [\"6.1-rt\", \"6.1\"]\n", "p.toml");
  EXPECT_THAT(plan, IsOk());
  return *std::move(plan);
}

TEST(CheckKernels, AcceptsNamesOfTheListAndOfThePlan) {
  const auto plan = parse_plan(
      "[factors]\narch = \"arm64\"\nkernel = [\"6.12-rt\", \"mine\"]\n"
      "[kernels.mine]\narch = \"arm64\"\nimage = \"Image\"\n",
      "p.toml");

  EXPECT_THAT(check_kernels(*plan, kKnown), IsOk());
}

TEST(CheckKernels, RefusesAnUnknownNameWithItsPlaceAndTheNearestOne) {
  const auto plan =
      parse_plan("[factors]\narch = \"arm64\"\nkernel = [\"6.1-rt\", \"6.12-tr\"]\n", "p.toml");

  EXPECT_THAT(check_kernels(*plan, kKnown),
              FailsWith(Errc::kInvalidPlan,
                        "p.toml:3:21: unknown kernel \"6.12-tr\"; did you mean \"6.12-rt\"?"));
}

TEST(CheckKernels, RefusesANonRtKernelWhereThePlanExpectsRt) {
  EXPECT_THAT(check_kernels(plan_with(""), kKnown),
              FailsWith(Errc::kInvalidPlan, "p.toml:3:21: kernel \"6.1\" is not PREEMPT_RT"));
  EXPECT_THAT(check_kernels(plan_with("measure.expect_rt = false\n"), kKnown), IsOk());
}

TEST(CheckKernels, RefusesAKernelByPathUnderATakenName) {
  const auto plan = parse_plan(
      "[factors]\nkernel = [\"6.1-rt\"]\n[kernels.\"6.1-rt\"]\narch = \"arm64\"\nimage = \"I\"\n",
      "p.toml");

  EXPECT_THAT(check_kernels(*plan, kKnown),
              FailsWith(Errc::kInvalidPlan, "p.toml:3:10: \"6.1-rt\" is a kernel of kernels.toml"));
}

TEST(ExpectedRt, IsTrueForAllInAPlanThatExpectsRt) {
  EXPECT_EQ(expected_rt(Plan{}, {{"kernel", "6.1"}}, kKnown), true);
}

TEST(ExpectedRt, IsEachKernelsOwnInAPlanThatDoesNot) {
  const Plan plan{.expect_rt = false, .kernels = {{"mine", {}}}};

  EXPECT_EQ(expected_rt(plan, {{"kernel", "6.1-rt"}}, kKnown), true);
  EXPECT_EQ(expected_rt(plan, {{"kernel", "6.1"}}, kKnown), false);
  EXPECT_EQ(expected_rt(plan, {{"kernel", "mine"}}, kKnown), std::nullopt);
  EXPECT_EQ(expected_rt(plan, {}, kKnown), std::nullopt);
}

TEST(PublishedArches, AreThoseOfTheListInItsOrder) {
  EXPECT_THAT(published_arches("6.1-rt", kKnown), ElementsAre("arm64", "i386"));
  EXPECT_THAT(published_arches("7.0", kKnown), IsEmpty());
}

}  // namespace
}  // namespace rtsweep
