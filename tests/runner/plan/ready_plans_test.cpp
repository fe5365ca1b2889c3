// SPDX-License-Identifier: GPL-2.0-or-later

// The plans in plans/, and the page that describes plan files.

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/plan/plan.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::Not;

Result<Plan> ready_plan(const std::string& name) {
  const std::filesystem::path file = RTSWEEP_SOURCE_DIR "/plans/" + name;
  RTSWEEP_TRY(const std::string text, read_file(file));
  return parse_plan(text, file);
}

std::vector<std::string> ready_plan_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(RTSWEEP_SOURCE_DIR "/plans")) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().filename());
  }
  return names;
}

// The part of the page below "## HEADING", up to the next.
std::string section_of_page(const std::string& page, std::string_view heading) {
  const std::string title = heading.empty() ? "Top of the file" : std::string(heading);
  const size_t begin = page.find("\n## " + title + "\n");
  if (begin == std::string::npos) return "";
  return page.substr(begin, page.find("\n## ", begin + 4) - begin);
}

std::string page() { return *read_file(RTSWEEP_SOURCE_DIR "/docs/plan-file.md"); }

// The second column of a key's row; empty without such a row.
std::string documented_default(const PlanKeyName& key) {
  for (const std::string& line : split(section_of_page(page(), key.section), '\n')) {
    const std::vector<std::string> column = split(line, '|');
    if (column.size() < 4 || trim(column[1]) != "`" + std::string(key.name) + "`") continue;
    return std::string(trim(column[2]));
  }
  return "";
}

TEST(ReadyPlans, AreAllReadAndNamedAsTheirFile) {
  ASSERT_THAT(ready_plan_names(), Not(IsEmpty()));
  for (const std::string& name : ready_plan_names()) {
    const auto plan = ready_plan(name);
    ASSERT_THAT(plan, IsOk()) << name;
    EXPECT_EQ(plan->name + ".toml", name);
    EXPECT_TRUE(plan->budget) << name;
  }
}

// {6.1-rt, 6.12-rt} x {arm64, armhf} x {idle, hackbench, kernel-build} are 12 cells;
// non-RT 6.1 on arm64 adds 3.
TEST(ReadyPlans, QuickstartMeasuresTwelveRtCellsAndThreeForContrast) {
  const auto plan = ready_plan("quickstart.toml");
  ASSERT_THAT(plan, IsOk());
  EXPECT_TRUE(plan->virtual_clock);

  const auto trials = order_trials(*plan);
  const auto rt = std::ranges::count_if(
      trials, [](const PlannedTrial& trial) { return trial.cell.at("kernel").ends_with("-rt"); });

  EXPECT_EQ(rt, 12);
  EXPECT_EQ(trials.size(), 15u);
}

// 2 kernels x 2 bitnesses x 4 loads, three times.
TEST(ReadyPlans, TheMailsExperimentMeasuresItsFourLoadsAtPriority90) {
  const auto plan = ready_plan("rt-32-vs-64.toml");
  ASSERT_THAT(plan, IsOk());

  EXPECT_EQ(plan->priority, 90);
  EXPECT_EQ(plan->factors.back().levels,
            (std::vector<std::string>{"idle", "cpu", "sd-write", "kernel-build"}));
  EXPECT_EQ(order_trials(*plan).size(), 48u);
}

TEST(PlanFilePage, DocumentsEveryKeyWithItsDefault) {
  for (const PlanKeyName& key : plan_keys()) {
    const std::string said = documented_default(key);
    EXPECT_NE(said, "") << key.section << " " << key.name << " has no row";
    if (!key.fallback.empty()) {
      EXPECT_EQ(said, "`" + std::string(key.fallback) + "`") << key.section << " " << key.name;
    }
  }
}

// What the page and the list of keys call the default is what a plan without the key has.
TEST(PlanFilePage, TellsTheDefaultsThatHold) {
  // Whatever has no default and others need: [capture] goes with a breakpoint.
  constexpr char kSmallest[] =
      "[factors]\nkernel = \"6.1\"\narch = \"arm64\"\n[measure]\nbreakpoint_us = 100\n";
  const auto without = parse_plan(kSmallest, "p.toml");
  ASSERT_THAT(without, IsOk());
  int compared = 0;
  for (const PlanKeyName& key : plan_keys()) {
    if (key.fallback.empty()) continue;
    const std::string line = std::string(key.name) + " = " + std::string(key.fallback) + "\n";
    const std::string text = key.section.empty() ? line + kSmallest
                             : key.section == "[measure]"
                                 ? kSmallest + line
                                 : kSmallest + std::string(key.section) + "\n" + line;
    auto with = parse_plan(text, "p.toml");
    ASSERT_THAT(with, IsOk()) << text;
    with->text = without->text;
    EXPECT_TRUE(*with == *without) << line;
    ++compared;
  }
  EXPECT_GE(compared, 14);
}

TEST(PlanFilePage, ShowsAPlanThatIsReadAsThePageSays) {
  const std::string text = page();
  const size_t begin = text.find("```toml\n") + 8;
  const auto plan = parse_plan(text.substr(begin, text.find("```", begin) - begin), "p.toml");

  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(order_trials(*plan).size(), 3u * (12 - 2));
}

}  // namespace
}  // namespace rtsweep
