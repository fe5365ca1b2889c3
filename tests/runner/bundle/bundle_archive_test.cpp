// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/bundle/bundle_archive.h"

#include <gmock/gmock.h>

#include "runner/base/command.h"
#include "runner/base/files.h"
#include "tests/runner/bundle/hostile_archive.h"
#include "tests/support/fake_host.h"
#include "tests/support/file_tree.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::FakeHost;
using testing::hostile_archive;
using testing::HostileEntry;
using testing::IsOk;
using testing::IsOkAnd;
using ::testing::Pair;

std::vector<BundleFile> two_files() {
  return {{"b/second.txt", "two\n"}, {"a.txt", std::string("one\0\xff", 5)}};
}

TEST(BundleArchive, UnpacksToWhatWasPacked) {
  const auto packed = pack_bundle(two_files());

  ASSERT_THAT(packed, IsOk());
  EXPECT_THAT(unpack_bundle(*packed, "x"),
              IsOkAnd(ElementsAre(BundleFile{"a.txt", std::string("one\0\xff", 5)},
                                  BundleFile{"b/second.txt", "two\n"})));
}

TEST(BundleArchive, IsTheSameWhateverTheOrderAndTheTime) {
  auto files = two_files();
  const auto once = pack_bundle(files);
  std::swap(files[0], files[1]);

  const auto again = pack_bundle(files);

  ASSERT_THAT(once, IsOk());
  EXPECT_THAT(again, IsOkAnd(*once));
}

// The real tar, as the reader of a mailing list has it.
TEST(BundleArchive, OpensInTarWithoutOwnersAndTimes) {
  SystemCommands commands;
  if (!commands.run({"sh", "-c", "command -v tar && command -v zstd"})) {
    GTEST_SKIP() << "needs tar and zstd";
  }
  FakeHost host;
  const auto packed = pack_bundle(two_files());
  ASSERT_THAT(packed, IsOk());
  host.file("x.tar.zst", *packed);

  const auto listed = commands.run({"env", "TZ=UTC", "tar", "--zstd", "--numeric-owner", "-tvf",
                                    host.root().path("x.tar.zst").string()});

  EXPECT_THAT(listed, IsOkAnd(std::string("-rw-r--r-- 0/0               5 1970-01-01 00:00 a.txt\n"
                                          "-rw-r--r-- 0/0               4 1970-01-01 00:00 "
                                          "b/second.txt\n")));
}

TEST(HostileBundle, CannotLeadOutOfItsDirectory) {
  for (const char* name : {"../x", "a/../../x", "a/..", "./x", "a//b", ".."}) {
    EXPECT_THAT(unpack_bundle(hostile_archive({{name, "x"}}), "evil.zst"),
                FailsWith(Errc::kBadData, "evil.zst: not a bundle to be trusted"))
        << name;
  }
  EXPECT_THAT(unpack_bundle(hostile_archive({{"/etc/passwd", "x"}}), "evil.zst"),
              FailsWith(Errc::kBadData, "\"/etc/passwd\" has an absolute path"));
}

TEST(HostileBundle, CannotHoldLinksDevicesAndPipes) {
  const std::vector<std::pair<HostileEntry, std::string>> entries = {
      {{"l", "", AE_IFLNK, "/etc"}, "is a symbolic link"},
      {{"h", "", AE_IFREG, "", "/etc/passwd"}, "is a hard link"},
      {{"c", "", AE_IFCHR}, "is a device"},
      {{"b", "", AE_IFBLK}, "is a device"},
      {{"f", "", AE_IFIFO}, "is a pipe"}};
  for (const auto& [entry, why] : entries) {
    EXPECT_THAT(unpack_bundle(hostile_archive({entry}), "evil.zst"),
                FailsWith(Errc::kBadData, why));
  }
}

TEST(HostileBundle, CannotHoldANameTwice) {
  EXPECT_THAT(unpack_bundle(hostile_archive({{"a/x", "1"}, {"a/x", "2"}}), "evil.zst"),
              FailsWith(Errc::kBadData, "\"a/x\" is there twice"));
  EXPECT_THAT(unpack_bundle(hostile_archive({{"a", "1"}, {"a/x", "2"}}), "evil.zst"),
              FailsWith(Errc::kBadData, "\"a/x\" lies below a file"));
  EXPECT_THAT(unpack_bundle(hostile_archive({{"a/x", "2"}, {"a", "1"}}), "evil.zst"),
              FailsWith(Errc::kBadData, "\"a\" is there twice"));
}

TEST(HostileBundle, CannotHoldNamesThatHarmATerminal) {
  for (const char* name : {"a\x1b[31m", "a\nb", "a\\b", "C:x", "a\xff"}) {
    const auto files = unpack_bundle(hostile_archive({{name, "x"}}), "evil.zst");
    ASSERT_FALSE(files.has_value()) << name;
    EXPECT_EQ(files.error().message().find('\x1b'), std::string::npos);
  }
}

// A gigabyte of zeros takes some ten kilobytes: refused by what the header claims, by the
// bytes themselves, and by their ratio.
TEST(HostileBundle, CannotFillTheMemory) {
  const std::string zeros(size_t{20} << 20, '\0');
  const std::string bomb = hostile_archive({{"zeros", zeros}});
  ASSERT_LT(bomb.size(), 20'000u);

  EXPECT_THAT(unpack_bundle(bomb, "bomb.zst"),
              FailsWith(Errc::kBadData, "unpacks to more than 300 times"));
  EXPECT_THAT(unpack_bundle(bomb, "bomb.zst", {.file_bytes = 1 << 20}),
              FailsWith(Errc::kBadData, "is too large (20971520 bytes)"));
  EXPECT_THAT(unpack_bundle(hostile_archive(
                                {{"a", zeros.substr(0, 600'000)}, {"b", zeros.substr(0, 600'000)}}),
                            "bomb.zst", {.total_bytes = 1'000'000}),
              FailsWith(Errc::kBadData, "\"b\" is too large"));
}

TEST(HostileBundle, CannotHoldAnyNumberOfEntries) {
  std::vector<HostileEntry> entries;
  for (int i = 0; i < 501; ++i) entries.push_back({"f" + std::to_string(i), ""});

  EXPECT_THAT(unpack_bundle(hostile_archive(entries), "many.zst"),
              FailsWith(Errc::kBadData, "more than 500 entries"));
}

TEST(HostileBundle, ThatIsCutOffOrNoneIsAnError) {
  const auto packed = pack_bundle({{"a.txt", std::string(200'000, 'x') + "end"}});
  ASSERT_THAT(packed, IsOk());
  for (const size_t size : {size_t{0}, size_t{3}, packed->size() / 2, packed->size() - 8}) {
    EXPECT_FALSE(unpack_bundle(packed->substr(0, size), "cut.zst").has_value()) << size;
  }
  EXPECT_THAT(unpack_bundle("hello", "text.txt"), FailsWith(Errc::kBadData, "text.txt"));
}

TEST(BundleFiles, AreWrittenToANewDirectoryOnly) {
  FakeHost host;
  host.file("there/already", "x");

  EXPECT_THAT(write_bundle_files(two_files(), host.root().path("there")),
              FailsWith(Errc::kIo, "is there already and not empty"));

  ASSERT_THAT(write_bundle_files(two_files(), host.root().path("new/dir")), IsOk());
  EXPECT_THAT(
      testing::content_of_tree(host.root().path("new/dir")),
      ElementsAre(Pair("a.txt", std::string("one\0\xff", 5)), Pair("b/second.txt", "two\n")));
}

}  // namespace
}  // namespace rtsweep
