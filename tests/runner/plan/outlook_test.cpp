// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/outlook.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "runner/base/text.h"
#include "runner/plan/text_layout.h"

namespace rtsweep {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using namespace std::chrono_literals;  // NOLINT: for 1h

// Two kernels of which one is not there for i386: two trials in each of two blocks.
Plan half_possible() {
  return {.file = "p.toml",
          .name = "p",
          .target = "vm",
          .virtual_clock = true,
          .repetitions = 2,
          .budget = 1h,
          .factors = {{"kernel", {"6.1-rt", "6.12-rt"}}, {"arch", {"i386"}}, {"load", {"idle"}}}};
}

PlanHost pc() {
  return {.arch = "amd64",
          .cpus = 2,
          .kernels = {{.name = "6.1-rt", .arch = "i386"}, {.name = "6.12-rt", .arch = "amd64"}},
          .programs = {"qemu-system-i386"},
          .guests = {"i386"}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  EXPECT_EQ(lines.back(), "") << "the text does not end with a newline";
  lines.pop_back();
  return lines;
}

TEST(PlanOutlook, CountsWhatIsPossibleAndExpectsTimeForThatOnly) {
  const PlanOutlook outlook = plan_outlook(half_possible(), pc());

  EXPECT_THAT(outlook.trials, SizeIs(4));
  EXPECT_EQ(outlook.possible, 2);
  EXPECT_EQ(outlook.jobs, 2);
  for (const TrialOutlook& trial : outlook.trials) {
    EXPECT_EQ(trial.impossible.has_value(), trial.trial.cell.at("kernel") == "6.12-rt");
    EXPECT_EQ(trial.expected == 0s, trial.impossible.has_value());
  }
  EXPECT_GT(outlook.expected, 0s);
}

// A plan that asks for more VMs than there are CPUs is not faster for it.
TEST(PlanOutlook, ExpectsNoGainFromMoreVmsThanCpus) {
  Plan plan = half_possible();
  plan.repetitions = 8;
  const auto expected = plan_outlook(plan, pc()).expected;

  plan.vm_jobs = 8;
  EXPECT_EQ(plan_outlook(plan, pc()).expected, expected);
}

TEST(OutlookText, ShowsTrialsInOrderAndEachReasonOnce) {
  const Plan plan = half_possible();
  const std::string text = outlook_text(plan, plan_outlook(plan, pc()), 100);

  EXPECT_THAT(text, HasSubstr("arch i386; load idle"));
  EXPECT_THAT(text, HasSubstr("  trial  block  kernel\n      1      1  6.1"));
  EXPECT_THAT(text, HasSubstr("6.12-rt  impossible (a)\n"));
  EXPECT_THAT(text, HasSubstr("  (a)\n      kernel 6.12-rt is not published for i386"));
  EXPECT_THAT(text, Not(HasSubstr("(b)")));
  EXPECT_THAT(text, HasSubstr("2 of 4 trials possible; expected time about "));
  EXPECT_THAT(text, HasSubstr("with 2 VMs at once, within the budget of 1h\n"));
}

TEST(OutlookText, SaysWhenTheBudgetIsTooSmall) {
  Plan plan = half_possible();
  plan.budget = 1s;

  EXPECT_THAT(outlook_text(plan, plan_outlook(plan, pc()), 200),
              HasSubstr("MORE THAN the budget of 1s"));
}

TEST(OutlookText, StaysWithinAnyWidth) {
  Plan plan = half_possible();
  plan.factors.push_back({"cmdline", {"", "numa=fake=4 nohz_full=1 rcu_nocbs=1"}});
  for (const size_t width : {40u, 60u, 80u, 200u}) {
    const std::string text = outlook_text(plan, plan_outlook(plan, pc()), width);
    for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), width) << line;
  }
}

TEST(OutlookJson, HasEveryTrialWithItsCellAndReason) {
  const Plan plan = half_possible();
  const nlohmann::json json = outlook_json(plan, plan_outlook(plan, pc()));

  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["plan"], "p");
  EXPECT_EQ(json["possible"], 2);
  EXPECT_EQ(json["budget_s"], 3600);
  EXPECT_EQ(json["fits_budget"], true);
  ASSERT_THAT(json["trials"], SizeIs(4));
  for (const nlohmann::json& trial : json["trials"]) {
    EXPECT_EQ(trial["cell"]["arch"], "i386");
    EXPECT_EQ(trial["possible"].get<bool>(), !trial.contains("reason"));
    EXPECT_EQ(trial["possible"].get<bool>(), trial.contains("expected_s"));
  }
}

TEST(OutlookJson, HasNoBudgetWhereThePlanHasNone) {
  Plan plan = half_possible();
  plan.budget = std::nullopt;
  const nlohmann::json json = outlook_json(plan, plan_outlook(plan, pc()));

  EXPECT_TRUE(json["budget_s"].is_null());
  EXPECT_TRUE(json["fits_budget"].is_null());
}

TEST(RangesText, JoinsNeighbours) {
  EXPECT_EQ(ranges_text(std::vector<int>{1, 2, 3, 7, 9, 10}), "1-3, 7, 9-10");
  EXPECT_EQ(ranges_text(std::vector<int>{}), "");
}

TEST(Wrapped, BreaksBetweenWordsAndKeepsLongOnesWhole) {
  EXPECT_EQ(wrapped("one two three", 2, 10), "  one two\n  three\n");
  EXPECT_EQ(wrapped("unbreakable-word a", 0, 5), "unbreakable-word\na\n");
}

}  // namespace
}  // namespace rtsweep
