// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/run/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/base/files.h"
#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::FakeHost;
using testing::IsOk;

Plan a_plan() {
  return parse_plan(
             "name = \"p\"\ntarget = \"vm\"\nclock = \"virtual\"\n"
             "[factors]\nkernel = [\"6.1-rt\"]\narch = [\"arm64\", \"i386\"]\n"
             "cmdline = [\"numa=fake=2 quiet\"]\nload = [\"idle\"]\n",
             "p.toml")
      .value();
}

Cell i386_cell() {
  return {
      {"kernel", "6.1-rt"}, {"arch", "i386"}, {"cmdline", "numa=fake=2 quiet"}, {"load", "idle"}};
}

TEST(RunDirectory, HoldsAllThatIsNeededToGoOn) {
  FakeHost dir;
  const RunHead head{.rtsweep_version = "1",
                     .host = "a board",
                     .created = "2026-11-30T18:40:01Z",
                     .impossible = {{i386_cell(), "numa=fake= is of no use there"}}};
  ASSERT_THAT(RunDirectory::create(dir.root().path("run"), a_plan(), head), IsOk());

  const auto again = RunDirectory::open(dir.root().path("run"));

  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->head(), head);
  EXPECT_EQ(again->plan().text, a_plan().text);
  ASSERT_EQ(again->trials().size(), 1u);
  EXPECT_EQ(again->trials().front().cell.at("arch"), "arm64");
}

TEST(RunDirectory, NamesATrialByNumberAndMeaning) {
  FakeHost dir;
  const auto run = RunDirectory::create(dir.root().path("run"), a_plan(), {});
  ASSERT_THAT(run, IsOk());
  PlannedTrial trial{.id = 7, .cell = i386_cell(), .repetition = 2};

  EXPECT_EQ(run->trial_name(trial), "trials/007_6.1-rt_i386_numa=fake=2-quiet_idle_r2");
}

TEST(RunDirectory, IsFoundByThoseWhoWorkElsewhere) {
  FakeHost dir;
  const auto relative = std::filesystem::relative(dir.root().path("run"));
  const auto run = RunDirectory::create(relative, a_plan(), {});
  ASSERT_THAT(run, IsOk());

  EXPECT_EQ(run->path(), dir.root().path("run"));
}

TEST(RunDirectory, IsNotMadeOverAnotherOne) {
  FakeHost dir;
  ASSERT_THAT(RunDirectory::create(dir.root().path("run"), a_plan(), {}), IsOk());

  EXPECT_THAT(RunDirectory::create(dir.root().path("run"), a_plan(), {}),
              FailsWith(Errc::kIo, "rtsweep resume"));
}

TEST(RunDirectory, IsMadeAgainWhereTheFirstTryWasKilled) {
  FakeHost dir;
  dir.file("run/plan.toml", "half").file("run/run.json.new", "{");

  EXPECT_THAT(RunDirectory::create(dir.root().path("run"), a_plan(), {}), IsOk());
}

TEST(RunDirectory, OfALaterFormatIsRefusedByName) {
  FakeHost dir;
  dir.file("run/run.json", "{\"format\": 99}").file("run/plan.toml", a_plan().text);

  EXPECT_THAT(RunDirectory::open(dir.root().path("run")), FailsWith(Errc::kBadData, "format 99"));
}

TEST(RunDirectory, ThatIsNoneIsNamed) {
  FakeHost dir;

  EXPECT_THAT(RunDirectory::open(dir.root().path("nowhere")), FailsWith(Errc::kIo, "run.json"));
}

}  // namespace
}  // namespace rtsweep
