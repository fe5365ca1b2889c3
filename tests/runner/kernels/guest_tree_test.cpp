// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/guest_tree.h"

#include "runner/base/command.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/kernels/sha256.h"
#include "tests/runner/kernels/temporary_directory.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::IsOk;
using testing::IsOkAnd;
using ::testing::StrEq;
using testing::TemporaryDirectory;

std::vector<std::string> paths(const GuestTree& tree) {
  std::vector<std::string> all;
  for (const auto& [path, entry] : tree.entries()) all.push_back(path);
  return all;
}

TEST(MergedPath, IsBelowUsrForWhatAMergedSystemHasThere) {
  EXPECT_EQ(merged_path("/bin/sh"), "usr/bin/sh");
  EXPECT_EQ(merged_path("lib/aarch64-linux-gnu/libc.so.6"), "usr/lib/aarch64-linux-gnu/libc.so.6");
  EXPECT_EQ(merged_path("/lib64/ld-linux-x86-64.so.2"), "usr/lib64/ld-linux-x86-64.so.2");
  EXPECT_EQ(merged_path("/lib"), "usr/lib");
}

TEST(MergedPath, IsThePathItselfOtherwise) {
  EXPECT_EQ(merged_path("/usr/lib/x"), "usr/lib/x");
  EXPECT_EQ(merged_path("library/x"), "library/x");
  EXPECT_EQ(merged_path("./etc/passwd"), "etc/passwd");
}

// zlib1g of bookworm has /usr/lib/T/libz.so -> /lib/T/libz.so.1.2.13; e2fsprogs has
// relative links from /lib to /usr/lib, which would point to /usr/usr/lib.
TEST(MergedLinkTarget, PointsToTheSameFileFromTheNewPlace) {
  EXPECT_EQ(merged_link_target("lib/T/liba.so", "../../usr/lib/T/liba.so.1"), "liba.so.1");
  EXPECT_EQ(merged_link_target("lib/T/liba.so", "liba.so.1"), "liba.so.1");
  EXPECT_EQ(merged_link_target("sbin/x", "../bin/y"), "../bin/y");
  EXPECT_EQ(merged_link_target("sbin/x", "../etc/y"), "../../etc/y");
}

TEST(MergedLinkTarget, IsLeftAloneWhereNothingMoves) {
  EXPECT_EQ(merged_link_target("usr/lib/T/libz.so", "/lib/T/libz.so.1"), "/lib/T/libz.so.1");
  EXPECT_EQ(merged_link_target("lib64/ld.so.2", "/lib/T/ld.so.2"), "/lib/T/ld.so.2");
}

TEST(GuestTree, PutsBothHalvesOfAnUnmergedPackageTogether) {
  const TemporaryDirectory package;
  package.file("lib/libz.so.1", "z");
  package.file("usr/lib/libfoo.so.1", "foo");
  package.link("usr/lib/libz.so", "/lib/libz.so.1");
  GuestTree tree;

  ASSERT_THAT(tree.add_tree(package.path()), IsOk());

  EXPECT_THAT(paths(tree), ElementsAre("usr", "usr/lib", "usr/lib/libfoo.so.1", "usr/lib/libz.so",
                                       "usr/lib/libz.so.1"));
}

TEST(GuestTree, IsNotMisledByALinkThatBaseFilesHas) {
  const TemporaryDirectory package;
  package.link("lib", "usr/lib");
  package.file("usr/lib/os-release", "Debian");
  GuestTree tree;

  ASSERT_THAT(tree.add_tree(package.path()), IsOk());

  EXPECT_THAT(paths(tree), ElementsAre("usr", "usr/lib", "usr/lib/os-release"));
}

TEST(GuestTree, LinksTheMergedDirectoriesThatItHas) {
  GuestTree tree;
  tree.add_content("/lib64/ld.so", "", 0755);
  tree.add_content("/bin/sh", "", 0755);

  tree.add_merged_links();

  EXPECT_THAT(paths(tree), ElementsAre("bin", "lib64", "usr", "usr/bin", "usr/bin/sh", "usr/lib64",
                                       "usr/lib64/ld.so"));
  EXPECT_EQ(tree.entries().at("lib64").content, "usr/lib64");
}

GuestTree small_tree(const TemporaryDirectory& host) {
  GuestTree tree;
  tree.add_file("/init", host.file("program", "#!ELF"), 0755);
  tree.add_content("/etc/hostname", "guest\n", 0644);
  tree.add_directory("/tmp", 01777);
  tree.add_link("/bin/sh", "dash");
  return tree;
}

// The listing of bsdtar, a reader that is not ours: owner, size, time, path.
TEST(WriteCpio, WritesWhatCpioReadersRead) {
  const TemporaryDirectory host;
  const auto file = host.path() / "tree.cpio";

  ASSERT_THAT(write_cpio(small_tree(host), file), IsOk());

  SystemCommands commands;
  const auto listing =
      commands.run({"env", "LC_ALL=C", "TZ=UTC", "cpio", "-itv", "--quiet", "-F", file.string()});
  ASSERT_THAT(listing, IsOk());
  std::vector<std::string> lines;
  for (const std::string& line : split(trim(*listing), '\n'))
    lines.push_back(join(words(line), " "));
  EXPECT_THAT(lines, ElementsAre("drwxr-xr-x 2 root root 0 Jan 1 1970 etc",
                                 "-rw-r--r-- 1 root root 6 Jan 1 1970 etc/hostname",
                                 "-rwxr-xr-x 1 root root 5 Jan 1 1970 init",
                                 "drwxrwxrwt 2 root root 0 Jan 1 1970 tmp",
                                 "drwxr-xr-x 2 root root 0 Jan 1 1970 usr",
                                 "drwxr-xr-x 2 root root 0 Jan 1 1970 usr/bin",
                                 "lrwxrwxrwx 1 root root 4 Jan 1 1970 usr/bin/sh -> dash"));
  EXPECT_THAT(
      commands.run({"cpio", "-i", "--to-stdout", "--quiet", "-F", file.string(), "etc/hostname"}),
      IsOkAnd(StrEq("guest\n")));
}

TEST(WriteCpio, WritesTheSameBytesForTheSameTree) {
  const TemporaryDirectory one;
  const TemporaryDirectory other;

  const auto first = write_cpio(small_tree(one), one.path() / "a.cpio");
  const auto second = write_cpio(small_tree(other), other.path() / "b.cpio");

  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(*first, *sha256_of_file(one.path() / "a.cpio"));
}

TEST(WriteCpio, EndsAtAFullBlock) {
  const TemporaryDirectory host;
  const auto file = host.path() / "tree.cpio";

  ASSERT_THAT(write_cpio(small_tree(host), file), IsOk());

  EXPECT_EQ(std::filesystem::file_size(file) % 512, 0U);
  EXPECT_LT(std::filesystem::file_size(file), 2049U);  // 8 headers of 110 bytes and names
}

TEST(WriteCpio, NamesTheFileThatIsMissing) {
  const TemporaryDirectory host;
  GuestTree tree;
  tree.add_file("/init", host.path() / "nothing", 0755);

  EXPECT_THAT(write_cpio(tree, host.path() / "x.cpio"), FailsWith(Errc::kIo, "nothing"));
}

TEST(ReadFromCpio, GivesAFilesContent) {
  const TemporaryDirectory host;
  const auto file = host.path() / "tree.cpio";
  ASSERT_THAT(write_cpio(small_tree(host), file), IsOk());

  EXPECT_THAT(read_from_cpio(file, "etc/hostname"), IsOkAnd(StrEq("guest\n")));
  EXPECT_THAT(read_from_cpio(file, "etc/shadow"), FailsWith(Errc::kNotSupported, "etc/shadow"));
  EXPECT_THAT(read_from_cpio(host.file("bad", "070701garbage"), "x"),
              FailsWith(Errc::kBadData, "bad"));
}

}  // namespace
}  // namespace rtsweep
