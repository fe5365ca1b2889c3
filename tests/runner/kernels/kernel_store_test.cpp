// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/kernel_store.h"

#include "runner/base/files.h"
#include "runner/kernels/sha256.h"
#include "tests/runner/kernels/fake_archive.h"
#include "tests/runner/kernels/temporary_directory.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using testing::FailsWith;
using testing::FakeArchive;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::IsOkAnd;
using ::testing::StrEq;
using testing::TemporaryDirectory;

// The meta-package and what it brings, as `apt-get --simulate install` lists them.
FakeArchive::Package meta(const std::string& version) {
  return {"linux-image-rt-arm64", version, "arm64", {}};
}

// `modules` is where the release has them: "lib" until bookworm, "usr/lib" since trixie.
FakeArchive::Package image(const std::string& release, const std::string& version,
                           const std::string& modules) {
  return {"linux-image-" + release,
          version,
          "arm64",
          {{"boot/vmlinuz-" + release, "image of " + version},
           {"boot/config-" + release, "CONFIG_SMP=y\nCONFIG_PREEMPT_RT=y\n"},
           {"boot/System.map-" + release, "ffffffff B stub\n"},
           {modules + "/modules/" + release + "/modules.builtin", ""},
           {modules + "/modules/" + release + "/modules.order", ""}}};
}

class FetchKernel : public ::testing::Test {
 protected:
  FetchKernel() {
    ::setenv("RTSWEEP_DEBIAN_KEYRING", directory_.file("keyring.gpg", "keys").c_str(), 1);
    apt_.packages = {{"kmod", "30", "arm64", {}},
                     image("6.1.0-50-rt-arm64", "6.1.176-1", "lib"),
                     meta("6.1.176-1")};
  }
  ~FetchKernel() override { ::unsetenv("RTSWEEP_DEBIAN_KEYRING"); }

  Result<Kernel> fetch(Freshness freshness = Freshness::kPinned) {
    return fetch_kernel(cache_, apt_, entry_, freshness);
  }

  TemporaryDirectory directory_;
  Cache cache_ = *Cache::open_at(directory_.path() / "cache");
  FakeArchive apt_;
  KernelEntry entry_{.name = "6.1-rt",
                     .arch = "arm64",
                     .suite = "bookworm",
                     .package = "linux-image-rt-arm64",
                     .rt = true};
};

TEST_F(FetchKernel, GivesTheKernelBehindTheMetaPackage) {
  const auto kernel = fetch();

  ASSERT_THAT(kernel, IsOk());
  EXPECT_EQ(kernel->name, "6.1-rt");
  EXPECT_EQ(kernel->release, "6.1.0-50-rt-arm64");
  EXPECT_EQ(kernel->package, "linux-image-6.1.0-50-rt-arm64 6.1.176-1");
  EXPECT_THAT(read_file(kernel->image), IsOkAnd(StrEq("image of 6.1.176-1")));
  EXPECT_TRUE(fs::exists(kernel->modules / "modules.dep"));
  EXPECT_TRUE(fs::exists(kernel->config));
  EXPECT_TRUE(fs::exists(kernel->system_map));
  EXPECT_EQ(kernel->rt, true);
}

TEST_F(FetchKernel, DescribesItBesideIt) {
  const auto kernel = fetch();
  ASSERT_THAT(kernel, IsOk());

  const auto description = read_file(kernel->image.parent_path().parent_path() / "kernel.json");

  EXPECT_THAT(description, IsOkAnd(HasSubstr("\"version\": \"6.1.176-1\"")));
  EXPECT_THAT(description, IsOkAnd(HasSubstr(sha256("image of 6.1.176-1"))));
}

TEST_F(FetchKernel, FindsModulesWhereTrixieHasThem) {
  apt_.packages = {image("6.12.117+deb13-rt-arm64", "6.12.117-1", "usr/lib"), meta("6.12.117-1")};

  const auto kernel = fetch();

  ASSERT_THAT(kernel, IsOk());
  EXPECT_EQ(kernel->modules.filename(), "6.12.117+deb13-rt-arm64");
  EXPECT_TRUE(fs::exists(kernel->modules / "modules.dep"));
}

TEST_F(FetchKernel, NeedsNoNetworkTheSecondTime) {
  const auto first = fetch();
  ASSERT_THAT(first, IsOk());
  apt_.offline = "no network";

  const auto second = fetch();

  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(first->image, second->image);
}

TEST_F(FetchKernel, KeepsItsVersionUntilTheNewestIsAskedFor) {
  ASSERT_THAT(fetch(), IsOk());
  apt_.packages = {image("6.1.0-51-rt-arm64", "6.1.180-1", "lib"), meta("6.1.180-1")};

  EXPECT_EQ(fetch()->release, "6.1.0-50-rt-arm64");
  EXPECT_EQ(fetch(Freshness::kNewest)->release, "6.1.0-51-rt-arm64");
  EXPECT_EQ(fetch()->release, "6.1.0-51-rt-arm64");
}

TEST_F(FetchKernel, IsNotFooledByARebuildUnderTheSameRelease) {
  const auto first = fetch();
  ASSERT_THAT(first, IsOk());
  apt_.packages = {image("6.1.0-50-rt-arm64", "6.1.176-2", "lib"), meta("6.1.176-2")};

  const auto second = fetch(Freshness::kNewest);

  ASSERT_THAT(second, IsOk());
  EXPECT_THAT(read_file(first->image), IsOkAnd(StrEq("image of 6.1.176-1")));
  EXPECT_THAT(read_file(second->image), IsOkAnd(StrEq("image of 6.1.176-2")));
}

TEST_F(FetchKernel, DoesNotCallAKernelRtThatIsNot) {
  apt_.packages[1].files["boot/config-6.1.0-50-rt-arm64"] = "# CONFIG_PREEMPT_RT is not set\n";

  EXPECT_THAT(fetch(), FailsWith(Errc::kBadData, "kernels.toml says rt = true of '6.1-rt'"));
  EXPECT_EQ(cached_kernel(cache_, apt_, entry_), std::nullopt);
}

TEST_F(FetchKernel, SaysWhichKernelCouldNotBeHad) {
  apt_.offline = "Could not resolve 'deb.debian.org'";

  EXPECT_THAT(fetch(), FailsWith(Errc::kChildFailed, "kernel '6.1-rt': "));
  EXPECT_THAT(fetch(), FailsWith(Errc::kChildFailed, "Could not resolve 'deb.debian.org'"));
}

TEST_F(FetchKernel, SaysWhenAPackageBringsNoKernel) {
  apt_.packages = {meta("6.1.176-1")};

  EXPECT_THAT(fetch(), FailsWith(Errc::kBadData, "brings no kernel image"));
}

TEST_F(FetchKernel, MakesACachedKernel) {
  EXPECT_EQ(cached_kernel(cache_, apt_, entry_), std::nullopt);

  ASSERT_THAT(fetch(), IsOk());

  const auto kernel = cached_kernel(cache_, apt_, entry_);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->release, "6.1.0-50-rt-arm64");
}

TEST(ConfigIsRt, OnlyWhenTheOptionIsSet) {
  EXPECT_TRUE(config_is_rt("CONFIG_PREEMPT_RT=y\nCONFIG_SMP=y\n"));
  EXPECT_FALSE(config_is_rt("# CONFIG_PREEMPT_RT is not set\n"));
  EXPECT_FALSE(config_is_rt("CONFIG_ARCH_SUPPORTS_RT=y\nCONFIG_PREEMPT_RT_FULL_OLD=y\n"));
}

class KernelByPathTest : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;
  KernelFiles files_{.name = "mine",
                     .arch = "arm64",
                     .image = directory_.file("Image", "MZ Linux version 6.6.1-mine (me) #1")};
};

TEST_F(KernelByPathTest, NeedsNoMoreThanAnImage) {
  const auto kernel = kernel_by_path(files_);

  ASSERT_THAT(kernel, IsOk());
  EXPECT_EQ(kernel->release, "6.6.1-mine");
  EXPECT_EQ(kernel->rt, std::nullopt);
  EXPECT_EQ(kernel->package, "");
}

TEST_F(KernelByPathTest, HasTheReleaseOfItsModules) {
  directory_.file("lib/modules/6.6.1-mine+/modules.dep", "");
  files_.modules = directory_.path() / "lib/modules/6.6.1-mine+/";

  EXPECT_EQ(kernel_by_path(files_)->release, "6.6.1-mine+");
}

TEST_F(KernelByPathTest, IsRtByItsConfig) {
  files_.config = directory_.file("config", "CONFIG_PREEMPT_RT=y\n");

  EXPECT_EQ(kernel_by_path(files_)->rt, true);
}

TEST_F(KernelByPathTest, NamesWhatIsMissing) {
  files_.config = "/nonexistent/config";

  EXPECT_THAT(
      kernel_by_path(files_),
      FailsWith(Errc::kInvalidPlan, "kernel 'mine': no kernel config '/nonexistent/config'"));
}

TEST_F(KernelByPathTest, RefusesModulesWithoutModulesDep) {
  fs::create_directories(directory_.path() / "lib/modules/6.6.1");
  files_.modules = directory_.path() / "lib/modules/6.6.1";

  EXPECT_THAT(kernel_by_path(files_), FailsWith(Errc::kInvalidPlan, "which depmod makes"));
}

TEST_F(KernelByPathTest, RefusesAnImageThatIsNoKernel) {
  files_.image = directory_.file("Image", "not a kernel");

  EXPECT_THAT(kernel_by_path(files_),
              FailsWith(Errc::kInvalidPlan, "does not look like a Linux kernel"));
}

TEST_F(KernelByPathTest, RefusesAnUnknownArchitecture) {
  files_.arch = "aarch64";

  EXPECT_THAT(kernel_by_path(files_),
              FailsWith(Errc::kInvalidPlan, "unknown architecture 'aarch64'; there are amd64"));
}

}  // namespace

// What a test prints of a kernel.
void PrintTo(const Kernel& kernel, std::ostream* os) { *os << kernel.release; }

bool operator==(const Kernel& a, const Kernel& b) { return a.image == b.image; }

}  // namespace rtsweep
