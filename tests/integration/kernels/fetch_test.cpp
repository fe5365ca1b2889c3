// SPDX-License-Identifier: GPL-2.0-or-later

// Debian's archive for real: apt, its signatures, packages of another architecture.

#include <algorithm>
#include <array>

#include "runner/base/text.h"
#include "runner/kernels/guest_layers.h"
#include "runner/kernels/kernel_store.h"
#include "tests/runner/kernels/temporary_directory.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::Contains;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::TemporaryDirectory;

// What apt says of a network that is not there, as against an archive that misbehaves.
bool is_offline(const Error& error) {
  constexpr std::array<const char*, 5> kWords = {"Temporary failure resolving", "Could not resolve",
                                                 "Could not connect", "Network is unreachable",
                                                 "timed out"};
  return std::ranges::any_of(
      kWords, [&](const char* words) { return error.message().find(words) != std::string::npos; });
}

class DebianArchive : public ::testing::Test {
 protected:
  ~DebianArchive() override {
    ::unsetenv("RTSWEEP_DEBIAN_MIRROR");
    ::unsetenv("RTSWEEP_DEBIAN_KEYRING");
  }

  TemporaryDirectory directory_;
  Cache cache_ = *Cache::open_at(directory_.path() / "cache");
  SystemCommands commands_;
  PackageLayerRequest rt_tests_{.arch = "armhf", .suite = "bookworm", .packages = {"rt-tests"}};
};

TEST_F(DebianArchive, GivesAUserlandOfAnotherArchitectureThatIsThereOffline) {
  const auto made = package_layer(cache_, commands_, rt_tests_);
  if (!made && is_offline(made.error())) GTEST_SKIP() << made.error().message();
  ASSERT_THAT(made, IsOk());

  const auto listing = commands_.run({"bsdtar", "-tf", made->layer.file.string()});
  ASSERT_THAT(listing, IsOk());
  const auto paths = split(*listing, '\n');
  EXPECT_THAT(paths, Contains("usr/bin/cyclictest"));
  EXPECT_THAT(paths, Contains("usr/lib/ld-linux-armhf.so.3"));
  EXPECT_THAT(paths, Contains("usr/lib/arm-linux-gnueabihf/libnuma.so.1"));
  EXPECT_LT(std::filesystem::file_size(made->layer.file), 20'000'000U);

  ::setenv("RTSWEEP_DEBIAN_MIRROR", "http://127.0.0.1:9/debian", 1);
  const auto again = package_layer(cache_, commands_, rt_tests_);
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->layer.sha256, made->layer.sha256);
}

TEST_F(DebianArchive, IsNotBelievedWithoutItsKey) {
  ::setenv("RTSWEEP_DEBIAN_KEYRING", directory_.file("empty.gpg", "").c_str(), 1);

  const auto made = package_layer(cache_, commands_, rt_tests_);

  ASSERT_FALSE(made.has_value());
  if (is_offline(made.error())) GTEST_SKIP() << made.error().message();
  EXPECT_THAT(made.error().message(), HasSubstr("is not signed"));
}

TEST_F(DebianArchive, SaysThatItIsOutOfReach) {
  ::setenv("RTSWEEP_DEBIAN_MIRROR", "http://127.0.0.1:9/debian", 1);

  EXPECT_THAT(package_layer(cache_, commands_, rt_tests_),
              FailsWith(Errc::kChildFailed, "Could not connect to 127.0.0.1:9"));
}

}  // namespace
}  // namespace rtsweep
