// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/undo_list.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>

#include "runner/base/files.h"
#include "tests/support/fake_host.h"
#include "tests/support/fake_systemd.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::FakeHost;
using testing::FakeSystemd;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;

constexpr char kGovernor[] = "sys/devices/system/cpu/cpufreq/policy0/scaling_governor";
constexpr char kRuntime[] = "proc/sys/kernel/sched_rt_runtime_us";
constexpr char kBootId[] = "proc/sys/kernel/random/boot_id";

class UndoListTest : public ::testing::Test {
 protected:
  UndoListTest() { host_.file(kBootId, "boot-1\n").file("run/systemd/system/units", ""); }

  UndoList open() { return std::move(UndoList::open(host_.root(), systemd_, state())).value(); }
  std::filesystem::path state() const { return dir_.root().path("state"); }
  std::string on_disk() const { return read_file(state() / kUndoFile).value(); }
  void put_on_disk(const std::string& text) { dir_.file("state/undo.jsonl", text); }
  std::string value(const char* file) const { return host_.root().read(file).value(); }

  FakeHost host_;
  FakeHost dir_;
  FakeSystemd systemd_;
};

TEST_F(UndoListTest, IsOnDiskWhenRememberReturns) {
  UndoList list = open();

  ASSERT_THAT(list.remember({{.name = kGovernor, .old = "schedutil"}}), IsOk());

  EXPECT_EQ(on_disk(),
            "{\"boot\":\"boot-1\",\"file\":\"sys/devices/system/cpu/cpufreq/policy0/"
            "scaling_governor\",\"old\":\"schedutil\"}\n");
  EXPECT_TRUE(UndoList::left_in(state()));
}

TEST_F(UndoListTest, OfAKilledRunnerIsUndoneByTheNextOne) {
  host_.file(kGovernor, "schedutil\n").file(kRuntime, "950000\n");
  {
    UndoList killed = open();
    ASSERT_THAT(killed.remember(
                    {{.name = kGovernor, .old = "schedutil"}, {.name = kRuntime, .old = "950000"}}),
                IsOk());
    host_.file(kGovernor, "performance\n").file(kRuntime, "-1\n");
  }

  const auto report = open().undo();

  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->text(), "2 settings put back");
  EXPECT_EQ(value(kGovernor), "schedutil");
  EXPECT_EQ(value(kRuntime), "950000");
  EXPECT_FALSE(UndoList::left_in(state()));
}

TEST_F(UndoListTest, CanBeUndoneTwice) {
  host_.file(kRuntime, "-1\n");
  const std::string text = undo_line({.name = kRuntime, .old = "950000", .boot = "boot-1"});
  put_on_disk(text);
  EXPECT_EQ(open().undo()->restored, 1);
  put_on_disk(text);  // as if it had been killed before the list was emptied

  EXPECT_TRUE(open().undo()->empty());
  EXPECT_EQ(value(kRuntime), "950000");
}

// The lower limit of a frequency must be lowered before the upper one.
TEST_F(UndoListTest, IsUndoneInReverseOrder) {
  host_.file(kRuntime, "3\n");
  UndoList list = open();
  // Of one batch: both stay, so that the first has the last word.
  ASSERT_THAT(list.remember({{.name = kRuntime, .old = "1"}, {.name = kRuntime, .old = "2"}}),
              IsOk());

  EXPECT_EQ(list.undo()->restored, 2);
  EXPECT_EQ(value(kRuntime), "1");
}

TEST_F(UndoListTest, RemovesAnInstanceOfFtraceThatAKilledRunnerLeft) {
  const std::string name = "sys/kernel/tracing/instances/rtsweep-probe";
  std::filesystem::create_directories(host_.root().path(name));
  UndoList list = open();
  ASSERT_THAT(list.remember({{.kind = UndoEntry::Kind::kTraceInstance, .name = name}}), IsOk());
  EXPECT_EQ(on_disk(), "{\"boot\":\"boot-1\",\"instance\":\"" + name + "\"}\n");

  EXPECT_EQ(list.undo()->restored, 1);
  EXPECT_FALSE(std::filesystem::exists(host_.root().path(name)));
  EXPECT_TRUE(std::filesystem::exists(host_.root().path("sys/kernel/tracing/instances")));
  EXPECT_FALSE(UndoList::left_in(state()));
}

TEST_F(UndoListTest, RemovesNothingButInstances) {
  for (const char* name : {"sys/kernel/tracing", "home/instances/x", "sys/instances/../x", ""}) {
    const std::string line = "{\"boot\":\"boot-1\",\"instance\":\"" + std::string(name) + "\"}\n";

    EXPECT_EQ(parse_undo_list(line).damaged, 1) << name;
  }
}

TEST_F(UndoListTest, ReadsBackWhatItWrites) {
  const UndoEntry entry{
      .name = "proc/irq/7/smp_affinity_list", .old = "0-3", .via = "2", .boot = "b"};

  EXPECT_THAT(parse_undo_list(undo_line(entry)).entries, ElementsAre(entry));
}

TEST_F(UndoListTest, KeepsTheOlderValueOfAFileThatItKnows) {
  host_.file(kRuntime, "3\n");
  UndoList list = open();
  ASSERT_THAT(list.remember({{.name = kRuntime, .old = "1"}}), IsOk());
  ASSERT_THAT(list.remember({{.name = kRuntime, .old = "2"}}), IsOk());

  ASSERT_THAT(list.undo(), IsOk());
  EXPECT_EQ(value(kRuntime), "1");
}

TEST_F(UndoListTest, TornAtAnyByteUndoesItsWholeLinesAndIgnoresTheRest) {
  const std::vector<std::string> files = {"sys/a", "proc/sys/b", "proc/irq/7/c"};
  std::string whole;
  for (const std::string& file : files) {
    whole += undo_line({.name = file, .old = "old", .boot = "boot-1"});
  }
  for (size_t size = 0; size <= whole.size(); ++size) {
    for (const std::string& file : files) host_.file(file, "tuned\n");
    put_on_disk(whole.substr(0, size));

    const auto report = open().undo();

    ASSERT_THAT(report, IsOk()) << size;
    EXPECT_EQ(report->damaged, 0) << size;
    const auto lines = std::count(whole.begin(), whole.begin() + static_cast<long>(size), '\n');
    for (size_t i = 0; i < files.size(); ++i) {
      EXPECT_EQ(value(files[i].c_str()), static_cast<long>(i) < lines ? "old" : "tuned") << size;
    }
  }
}

TEST_F(UndoListTest, UndoesTheOtherLinesOfADamagedList) {
  host_.file(kRuntime, "-1\n");
  put_on_disk("\x01garbage\n[1]\n{\"boot\":3}\n" +
              undo_line({.name = kRuntime, .old = "950000", .boot = "boot-1"}));

  const auto report = open().undo();

  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->text(), "1 setting put back, 3 lines of the undo list could not be read");
  EXPECT_EQ(value(kRuntime), "950000");
}

TEST_F(UndoListTest, WritesNothingOutsideOfSysAndProcSys) {
  const std::vector<std::string> outside = {"etc/shadow", "/sys/a", "sys/../etc/shadow",
                                            "proc/1/oom_score_adj", ""};
  std::string text;
  for (const std::string& name : outside) {
    text += undo_line({.name = name, .old = "evil", .boot = "boot-1"});
  }
  host_.file("etc/shadow", "kept").file("proc/1/oom_score_adj", "kept");
  put_on_disk(text);

  const auto report = open().undo();

  EXPECT_EQ(report->damaged, 5);
  EXPECT_EQ(value("etc/shadow"), "kept");
  EXPECT_EQ(value("proc/1/oom_score_adj"), "kept");
}

TEST_F(UndoListTest, OfAnEarlierBootIsDroppedBecauseTheRebootHasUndoneIt) {
  host_.file(kRuntime, "950000\n");
  put_on_disk(
      undo_line({.name = kRuntime, .old = "500000", .boot = "boot-0"}) +
      undo_line({.kind = UndoEntry::Kind::kService, .name = "a.service", .boot = "boot-0"}));

  const auto report = open().undo();

  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->text(), "2 of an earlier boot were gone with it");
  EXPECT_EQ(value(kRuntime), "950000");
  EXPECT_THAT(systemd_.ran, IsEmpty());
  EXPECT_EQ(on_disk(), "");
}

TEST_F(UndoListTest, KeepsAFileThatIsGoneUntilItIsThereAgain) {
  UndoList list = open();
  ASSERT_THAT(list.remember({{.name = kGovernor, .old = "schedutil"}}), IsOk());

  const auto report = list.undo();
  EXPECT_THAT(report->vanished, ElementsAre("/" + std::string(kGovernor)));
  EXPECT_TRUE(UndoList::left_in(state()));

  host_.file(kGovernor, "performance\n");
  EXPECT_EQ(list.undo()->restored, 1);
  EXPECT_EQ(value(kGovernor), "schedutil");
}

TEST_F(UndoListTest, ForgetsAnInterruptThatIsGone) {
  UndoList list = open();
  ASSERT_THAT(list.remember({{.name = "proc/irq/7/smp_affinity_list", .old = "0-3"}}), IsOk());

  EXPECT_THAT(list.undo()->text(), HasSubstr("gone: /proc/irq/7/smp_affinity_list"));
  EXPECT_FALSE(UndoList::left_in(state()));
}

TEST_F(UndoListTest, KeepsWhatCouldNotBePutBackAndGoesOnWithTheRest) {
  host_.file(std::string(kGovernor) + "/no-file", "").file(kRuntime, "-1\n");
  UndoList list = open();
  ASSERT_THAT(
      list.remember({{.name = kRuntime, .old = "950000"}, {.name = kGovernor, .old = "schedutil"}}),
      IsOk());

  const auto report = list.undo();

  ASSERT_THAT(report, IsOk());
  EXPECT_THAT(report->text(), HasSubstr("NOT put back: open "));
  EXPECT_EQ(value(kRuntime), "950000");
  EXPECT_THAT(on_disk(), HasSubstr("schedutil"));
  EXPECT_THAT(on_disk(), ::testing::Not(HasSubstr("950000")));
}

TEST_F(UndoListTest, StartsAServiceThatWasStoppedEvenPastItsStartLimit) {
  systemd_.has("irqbalance.service", "inactive").failing = "start";
  UndoList list = open();
  ASSERT_THAT(list.remember({{.kind = UndoEntry::Kind::kService, .name = "irqbalance.service"}}),
              IsOk());

  EXPECT_EQ(list.undo()->restored, 1);
  EXPECT_EQ(systemd_.states["irqbalance.service"], "active");
  EXPECT_THAT(systemd_.ran,
              ElementsAre("show irqbalance.service", "start irqbalance.service",
                          "reset-failed irqbalance.service", "start irqbalance.service"));
}

TEST_F(UndoListTest, BelongsToOneRunnerAtATime) {
  {
    const UndoList first = open();
    EXPECT_THAT(UndoList::open(host_.root(), systemd_, state()),
                FailsWith(Errc::kNotSupported, "another rtsweep tunes this machine"));
  }
  EXPECT_THAT(UndoList::open(host_.root(), systemd_, state()), IsOk());
}

TEST_F(UndoListTest, OfAnotherUserIsNotUsed) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give a file away";
  put_on_disk(undo_line({.name = kRuntime, .old = "1", .boot = "boot-1"}));
  ASSERT_EQ(::chown((state() / kUndoFile).c_str(), 65534, 65534), 0);

  EXPECT_THAT(UndoList::open(host_.root(), systemd_, state()),
              FailsWith(Errc::kBadData, "not a file of this user"));
}

TEST_F(UndoListTest, BehindALinkIsNotUsed) {
  dir_.file("elsewhere", undo_line({.name = kRuntime, .old = "1", .boot = "boot-1"}));
  std::filesystem::create_directories(state());
  std::filesystem::create_symlink(dir_.root().path("elsewhere"), state() / kUndoFile);

  EXPECT_THAT(UndoList::open(host_.root(), systemd_, state()),
              FailsWith(Errc::kBadData, "not a file of this user"));
}

TEST(UndoPlace, IsTheRunDirectoryWhereTheStateDirectoryCannotBeMade) {
  const FakeHost dir;
  ::setenv("RTSWEEP_STATE", "/proc/no/such/place", 1);
  const UndoPlace fallback = undo_place(dir.root().path("run"));
  ::setenv("RTSWEEP_STATE", dir.root().path("state").c_str(), 1);
  const UndoPlace place = undo_place(dir.root().path("run"));
  ::unsetenv("RTSWEEP_STATE");

  EXPECT_EQ(fallback.directory, dir.root().path("run"));
  EXPECT_THAT(fallback.warning, HasSubstr("/proc/no/such/place"));
  EXPECT_EQ(place.directory, dir.root().path("state"));
  EXPECT_EQ(place.warning, "");
}

}  // namespace
}  // namespace rtsweep
