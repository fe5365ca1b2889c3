// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/guest_layers.h"

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/kernels/guest_tree.h"
#include "runner/kernels/sha256.h"
#include "tests/runner/kernels/fake_archive.h"
#include "tests/runner/kernels/temporary_directory.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::FakeArchive;
using testing::IsOk;
using testing::IsOkAnd;
using ::testing::StrEq;
using testing::TemporaryDirectory;

class GuestLayersTest : public ::testing::Test {
 protected:
  GuestLayersTest() {
    ::setenv("RTSWEEP_DEBIAN_KEYRING", directory_.file("keyring.gpg", "keys").c_str(), 1);
    apt_.packages = {{"dash", "0.5.12-2", "arm64", {{"bin/dash", "dash"}}},
                     {"mawk", "1.3.4", "arm64", {{"usr/bin/mawk", "mawk"}}},
                     {"libold", "1", "arm64", {{"lib/T/libold.so.1", "old"}}},
                     {"rt-tests",
                      "2.4-1",
                      "arm64",
                      {{"usr/bin/cyclictest", "cyclictest"},
                       {"usr/share/doc/rt-tests/README", "read me"},
                       {"usr/share/man/man8/cyclictest.8", "manual"}}}};
  }
  ~GuestLayersTest() override { ::unsetenv("RTSWEEP_DEBIAN_KEYRING"); }

  static std::vector<std::string> listing(const GuestLayer& layer) {
    SystemCommands commands;
    const auto output = commands.run({"bsdtar", "-tf", layer.file.string()});
    return output ? split(trim(*output), '\n') : std::vector{output.error().message()};
  }

  TemporaryDirectory directory_;
  Cache cache_ = *Cache::open_at(directory_.path() / "cache");
  FakeArchive apt_;
  PackageLayerRequest request_{.arch = "arm64", .packages = {"rt-tests"}};
};

TEST_F(GuestLayersTest, PackagesBecomeATrimmedMergedSystem) {
  const auto made = package_layer(cache_, apt_, request_);

  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(
      listing(made->layer),
      ElementsAre("bin", "dev", "etc", "etc/group", "etc/passwd", "lib", "mnt", "proc", "root",
                  "run", "sbin", "sys", "tmp", "usr", "usr/bin", "usr/bin/awk",
                  "usr/bin/cyclictest", "usr/bin/dash", "usr/bin/mawk", "usr/bin/sh", "usr/lib",
                  "usr/lib/T", "usr/sbin", "usr/share", "usr/share/doc", "usr/share/man"));
  EXPECT_EQ(made->packages.back(), (PackageId{"rt-tests", "2.4-1", "arm64"}));
  EXPECT_THAT(sha256_in_layer(made->layer, "/usr/bin/cyclictest"),
              IsOkAnd(StrEq(sha256("cyclictest"))));
}

TEST_F(GuestLayersTest, PackagesGiveTheSameBytesWhenTheyAreUnpackedAgain) {
  const auto first = package_layer(cache_, apt_, request_);
  const Cache other_cache = *Cache::open_at(directory_.path() / "other");

  const auto second = package_layer(other_cache, apt_, request_);

  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(first->layer.sha256, second->layer.sha256);
  EXPECT_EQ(*sha256_of_file(second->layer.file), second->layer.sha256);
}

TEST_F(GuestLayersTest, PackagesAreUnpackedOnceAndThenNeedNoArchive) {
  const auto first = package_layer(cache_, apt_, request_);
  apt_.offline = "no network";
  std::filesystem::remove_all(cache_.path("debs"));

  const auto second = package_layer(cache_, apt_, request_);

  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(first->layer.file, second->layer.file);
}

TEST_F(GuestLayersTest, AProgramWithoutItsLibraryIsRefused) {
  apt_.packages[3].files["usr/bin/cyclictest"] = read_file("/usr/bin/env").value();

  EXPECT_THAT(package_layer(cache_, apt_, request_),
              FailsWith(Errc::kNotSupported, "usr/bin/cyclictest needs libc.so.6"));
}

TEST_F(GuestLayersTest, ALibraryStaysForTheProgramThatNeedsIt) {
  apt_.packages[3].files["usr/bin/cyclictest"] = read_file("/usr/bin/env").value();
  apt_.packages[2].files = {{"lib/T/libc.so.6", "-> libc-2.36.so.6"},
                            {"lib/T/libc-2.36.so.6", "libc"},
                            {"lib/T/libother.so.1", "other"}};

  const auto made = package_layer(cache_, apt_, request_);

  ASSERT_THAT(made, IsOk());
  const auto names = listing(made->layer);
  EXPECT_THAT(names, ::testing::Contains("usr/lib/T/libc.so.6"));
  EXPECT_THAT(names, ::testing::Contains("usr/lib/T/libc-2.36.so.6"));
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("usr/lib/T/libother.so.1")));
}

TEST_F(GuestLayersTest, ALibraryInADirectoryOfItsOwnIsFound) {
  apt_.packages[3].files["usr/bin/cyclictest"] = read_file("/usr/bin/env").value();
  apt_.packages[2].files = {{"usr/lib/T/blas/libc.so.6", "libc"}};

  const auto made = package_layer(cache_, apt_, request_);

  ASSERT_THAT(made, IsOk());
  SystemCommands commands;
  EXPECT_THAT(commands.run({"bsdtar", "-tvf", made->layer.file.string()}),
              IsOkAnd(::testing::HasSubstr("usr/lib/T/libc.so.6 -> blas/libc.so.6")));
}

TEST_F(GuestLayersTest, ModulesAreDecompressedAndOrdered) {
  SystemCommands commands;
  const TemporaryDirectory modules;
  const auto plain = modules.file("plain",
                                  "\x7f"
                                  "ELF sdhci");
  const auto packed = commands.run({"xz", "-c", plain.string()});
  ASSERT_THAT(packed, IsOk());
  modules.file("kernel/sdhci.ko.xz", *packed);
  modules.file("kernel/sdhci-pci.ko",
               "\x7f"
               "ELF sdhci-pci");
  modules.file("modules.dep", "kernel/sdhci-pci.ko: kernel/sdhci.ko.xz\nkernel/sdhci.ko.xz:\n");
  const Kernel kernel{.name = "mine", .release = "6.1", .modules = modules.path()};

  const auto made = module_layer(cache_, kernel, std::vector<std::string>{"sdhci_pci"});

  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(made->modules, ElementsAre("/usr/lib/modules/6.1/kernel/sdhci.ko",
                                         "/usr/lib/modules/6.1/kernel/sdhci-pci.ko"));
  EXPECT_THAT(read_from_cpio(made->layer.file, "usr/lib/modules/6.1/kernel/sdhci.ko"),
              IsOkAnd(StrEq("\x7f"
                            "ELF sdhci")));
}

TEST_F(GuestLayersTest, WithoutModulesTheLayerIsAnEmptyArchive) {
  const auto made = module_layer(cache_, {.name = "by path", .release = "6.1"}, {});

  ASSERT_THAT(made, IsOk());
  EXPECT_TRUE(made->modules.empty());
  EXPECT_EQ(std::filesystem::file_size(made->layer.file), 512U);
}

TEST_F(GuestLayersTest, AnUnknownModuleNamesTheKernel) {
  const TemporaryDirectory modules;
  modules.file("modules.dep", "kernel/sdhci.ko:\n");
  const Kernel kernel{.name = "mine", .release = "6.1", .modules = modules.path()};

  EXPECT_THAT(module_layer(cache_, kernel, std::vector<std::string>{"ext4"}),
              FailsWith(Errc::kNotSupported, "kernel 'mine': the kernel has no module 'ext4'"));
}

TEST_F(GuestLayersTest, FilesAreWhatTheHostHasOrWhatIsGiven) {
  const GuestFile files[] = {
      {.path = "/init", .from = directory_.file("init", "program"), .mode = 0755},
      {.path = "/trial.json", .content = "{}"}};

  const auto made = file_layer(files, directory_.path() / "files.cpio");

  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(read_from_cpio(made->file, "init"), IsOkAnd(StrEq("program")));
  EXPECT_THAT(read_from_cpio(made->file, "trial.json"), IsOkAnd(StrEq("{}")));
}

TEST_F(GuestLayersTest, AnInitrdIsItsLayersOneAfterTheOther) {
  const GuestFile one[] = {{.path = "/a", .content = "first"}};
  const GuestFile two[] = {{.path = "/b", .content = "second"}};
  const GuestLayer layers[] = {*file_layer(one, directory_.path() / "1.cpio"),
                               *file_layer(two, directory_.path() / "2.cpio")};

  const auto initrd = concatenate_layers(layers, directory_.path() / "initrd");

  ASSERT_THAT(initrd, IsOk());
  EXPECT_EQ(*read_file(initrd->file), *read_file(layers[0].file) + *read_file(layers[1].file));
  EXPECT_EQ(initrd->sha256, *sha256_of_file(initrd->file));
}

TEST_F(GuestLayersTest, AKeyDependsOnTheOrder) {
  const GuestLayer a{.sha256 = "aa"};
  const GuestLayer b{.sha256 = "bb"};

  EXPECT_EQ(layers_key(std::vector{a, b}), layers_key(std::vector{a, b}));
  EXPECT_NE(layers_key(std::vector{a, b}), layers_key(std::vector{b, a}));
}

}  // namespace
}  // namespace rtsweep
