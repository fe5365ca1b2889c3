// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/archive.h"

#include <fstream>

#include "runner/base/files.h"
#include "runner/kernels/apt_settings.h"
#include "runner/kernels/sha256.h"
#include "tests/runner/kernels/fake_archive.h"
#include "tests/runner/kernels/temporary_directory.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FailsWith;
using testing::FakeArchive;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::IsOkAnd;
using ::testing::Not;
using ::testing::StrEq;
using testing::TemporaryDirectory;

const PackageId kFio{"fio", "3.33-3", "arm64"};
const PackageId kLibc{"libc6", "2.36-9+deb12u14", "arm64"};
const PackageId kZlib{"zlib1g", "1:1.2.13.dfsg-1", "arm64"};

class ArchiveTest : public ::testing::Test {
 protected:
  ArchiveTest() {
    apt_.packages = {{"libc6", "2.36-9+deb12u14", "arm64", {{"lib/libc.so.6", "c"}}},
                     {"zlib1g", "1:1.2.13.dfsg-1", "arm64", {{"lib/libz.so.1", "z"}}},
                     {"fio", "3.33-3", "arm64", {{"usr/bin/fio", "fio"}}}};
  }

  Archive archive() { return Archive(cache_, apt_, settings_); }

  TemporaryDirectory directory_;
  Cache cache_ = *Cache::open_at(directory_.path() / "cache");
  ArchiveSettings settings_{.mirror = "http://deb.debian.org/debian",
                            .keyring = directory_.file("keyring.gpg", "keys")};
  FakeArchive apt_;
  PackageRequest fio_{.suite = "bookworm", .arch = "arm64", .packages = {"fio"}};
};

// Lines of a real `apt-get --simulate install` for a foreign architecture.
TEST(Simulation, GivesNameVersionAndArchitectureOfWhatWouldBeInstalled) {
  const auto packages = parse_simulation(
      "NOTE: This is only a simulation!\n"
      "Reading package lists...\n"
      "Inst libc6 (2.36-9+deb12u14 Debian:12.15/oldstable [arm64]) []\n"
      "Inst libgssapi-krb5-2 (1.20.1-2+deb12u5 Debian:12.15/oldstable, "
      "Debian-Security:12/oldstable-security [arm64])\n"
      "Inst media-types (10.0.0 Debian:12.15/oldstable [all])\n"
      "Conf libc6 (2.36-9+deb12u14 Debian:12.15/oldstable [arm64])\n");

  EXPECT_THAT(packages,
              IsOkAnd(ElementsAre(kLibc, PackageId{"libgssapi-krb5-2", "1.20.1-2+deb12u5", "arm64"},
                                  PackageId{"media-types", "10.0.0", "all"})));
}

TEST(Simulation, ThatMakesNoSenseIsRefused) {
  EXPECT_THAT(parse_simulation("Inst libc6\n"), FailsWith(Errc::kBadData, "Inst libc6"));
}

TEST(AptSources, OfBackportsComeWithTheRelease) {
  EXPECT_EQ(apt_sources({.mirror = "http://m/debian", .keyring = "/k.gpg"}, "bookworm-backports"),
            "deb [signed-by=/k.gpg] http://m/debian bookworm main\n"
            "deb [signed-by=/k.gpg] http://m/debian bookworm-backports main\n");
}

TEST(AptSources, OfSecurityUpdatesAreBesideTheMirror) {
  EXPECT_EQ(apt_sources({.mirror = "http://m/debian", .keyring = "/k.gpg"}, "bookworm-security"),
            "deb [signed-by=/k.gpg] http://m/debian bookworm main\n"
            "deb [signed-by=/k.gpg] http://m/debian-security bookworm-security main\n");
}

TEST_F(ArchiveTest, AsksAptWithSettingsOfItsOwn) {
  ASSERT_THAT(archive().resolve(fio_), IsOk());

  const std::string state = cache_.path("apt/bookworm-arm64").string();
  EXPECT_THAT(apt_.apt_commands,
              ElementsAre(ElementsAre("env", "-C", state, "LC_ALL=C.UTF-8", "apt-get", "-q", "-c",
                                      state + "/apt.conf", "update"),
                          ElementsAre("env", "-C", state, "LC_ALL=C.UTF-8", "apt-get", "-q", "-c",
                                      state + "/apt.conf", "--simulate", "--no-install-recommends",
                                      "install", "fio")));
  const auto conf = read_file(state + "/apt.conf");
  EXPECT_THAT(conf, IsOkAnd(HasSubstr("Dir::State::status \"" + state + "/status\";")));
  EXPECT_THAT(conf, IsOkAnd(HasSubstr("APT::Architecture \"arm64\";")));
  EXPECT_THAT(read_file(state + "/status"), IsOkAnd(StrEq("")));
}

TEST_F(ArchiveTest, FetchesTheFilesOfAllDependencies) {
  const auto debs = archive().fetch(fio_);

  ASSERT_THAT(debs, IsOk());
  ASSERT_EQ(debs->size(), 3U);
  EXPECT_EQ((*debs)[0].package, kFio);
  EXPECT_EQ((*debs)[1].package, kLibc);
  EXPECT_EQ((*debs)[2].package, kZlib);
  // An epoch's colon is escaped in the file's name, as apt-get download does it.
  EXPECT_EQ((*debs)[2].file.filename(), "zlib1g_1%3a1.2.13.dfsg-1_arm64.deb");
  SystemCommands real;
  const auto sum = real.run({"sha256sum", (*debs)[2].file.string()});
  EXPECT_THAT(sum, IsOkAnd(HasSubstr((*debs)[2].sha256 + " ")));
}

TEST_F(ArchiveTest, AsksNobodyTheSecondTime) {
  ASSERT_THAT(archive().fetch(fio_), IsOk());
  apt_.apt_commands.clear();
  apt_.offline = "Temporary failure resolving 'deb.debian.org'";

  EXPECT_THAT(archive().fetch(fio_), IsOk());

  EXPECT_TRUE(apt_.apt_commands.empty());
}

TEST_F(ArchiveTest, KeepsTheVersionUntilTheNewestIsAskedFor) {
  ASSERT_THAT(archive().resolve(fio_), IsOk());
  apt_.packages[2].version = "3.34-1";

  EXPECT_THAT(archive().resolve(fio_), IsOkAnd(Contains(kFio)));
  EXPECT_THAT(archive().resolve(fio_, Freshness::kNewest),
              IsOkAnd(Contains(PackageId{"fio", "3.34-1", "arm64"})));
  EXPECT_THAT(archive().resolve(fio_), IsOkAnd(Not(Contains(kFio))));
}

TEST_F(ArchiveTest, DownloadsAgainWhatWasDamagedOnDisk) {
  const auto before = archive().fetch(fio_);
  ASSERT_THAT(before, IsOk());
  std::ofstream((*before)[0].file, std::ios::app) << "garbage";

  const auto after = archive().fetch(fio_);

  ASSERT_THAT(after, IsOk());
  SystemCommands real;
  EXPECT_THAT(real.run({"dpkg-deb", "--fsys-tarfile", (*after)[0].file.string()}), IsOk());
  EXPECT_EQ(sha256_of_file((*after)[0].file).value(), (*after)[0].sha256);
  EXPECT_EQ(apt_.count("fio=3.33-3"), 2);
  EXPECT_EQ(apt_.count("zlib1g=1:1.2.13.dfsg-1"), 1);
}

TEST_F(ArchiveTest, LeavesOutDependenciesButNothingThatIsNamed) {
  fio_.leave_out = {"lib*", "f*"};

  EXPECT_THAT(archive().resolve(fio_), IsOkAnd(ElementsAre(kFio, kZlib)));
}

TEST_F(ArchiveTest, WithoutDependenciesGivesOnlyWhatIsNamed) {
  fio_.with_dependencies = false;

  EXPECT_THAT(archive().resolve(fio_), IsOkAnd(ElementsAre(kFio)));
}

TEST_F(ArchiveTest, TriesAFailedUpdateAgain) {
  apt_.failing_updates = 1;

  EXPECT_THAT(archive().resolve(fio_), IsOk());
  EXPECT_EQ(apt_.count("update"), 2);
}

TEST_F(ArchiveTest, UpdatesTheListsOnceForManyRequests) {
  ASSERT_THAT(archive().resolve(fio_), IsOk());
  PackageRequest other = fio_;
  other.packages = {"rt-tests"};

  ASSERT_THAT(archive().resolve(other), IsOk());

  EXPECT_EQ(apt_.count("update"), 1);
}

TEST_F(ArchiveTest, UpdatesTheListsWhenTheMirrorIsAnother) {
  ASSERT_THAT(archive().resolve(fio_), IsOk());
  settings_.mirror = "http://mirror.example.org/debian";
  PackageRequest other = fio_;
  other.packages = {"rt-tests"};

  ASSERT_THAT(archive().resolve(other), IsOk());

  EXPECT_EQ(apt_.count("update"), 2);
}

TEST_F(ArchiveTest, PassesOnWhatAptSaid) {
  apt_.offline = "E: Unable to locate package fio";

  EXPECT_THAT(archive().fetch(fio_),
              FailsWith(Errc::kChildFailed, "Debian bookworm arm64: E: Unable to locate"));
}

TEST_F(ArchiveTest, DoesNothingWithoutTheKeyring) {
  settings_.keyring = directory_.path() / "missing.gpg";

  EXPECT_THAT(archive().resolve(fio_),
              FailsWith(Errc::kNotSupported, "install debian-archive-keyring"));
  EXPECT_TRUE(apt_.apt_commands.empty());
}

TEST_F(ArchiveTest, TakesANewerVersionWhenTheKnownOneHasLeftTheArchive) {
  ASSERT_THAT(archive().resolve(fio_), IsOk());
  apt_.packages[2].version = "3.34-1";

  const auto debs = archive().fetch(fio_);

  ASSERT_THAT(debs, IsOk());
  EXPECT_EQ(debs->front().package.version, "3.34-1");
}

}  // namespace
}  // namespace rtsweep
