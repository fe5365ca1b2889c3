// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/kernel_image.h"

#include "runner/base/command.h"
#include "runner/base/files.h"
#include "runner/kernels/unpack.h"
#include "tests/runner/kernels/temporary_directory.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::FailsWith;
using testing::IsOk;
using testing::IsOkAnd;
using ::testing::StrEq;
using testing::TemporaryDirectory;

constexpr char kBanner[] =
    "Linux version 6.1.0-50-rt-armmp (debian-kernel@lists.debian.org) (gcc-12 ...) #1 SMP";

// As Documentation/arch/x86/boot.rst lays it out.
std::string x86_image(const std::string& version) {
  std::string image(0x600, '\0');
  image.replace(0x202, 4, "HdrS");
  image[0x20e] = '\x00';
  image[0x20f] = '\x03';  // the text is at 0x200 + 0x300
  return image.replace(0x500, version.size(), version);
}

TEST(ReleaseOfImage, IsInTheHeaderOnX86) {
  EXPECT_EQ(release_of_image(x86_image("6.1.0-50-rt-686-pae (debian-kernel@lists.debian.org) #1")),
            "6.1.0-50-rt-686-pae");
}

TEST(ReleaseOfImage, IsInTheBannerOfAnUnpackedImage) {
  EXPECT_EQ(release_of_image(std::string("MZ\0\0", 4) + kBanner), "6.1.0-50-rt-armmp");
}

TEST(ReleaseOfImage, IsNotTheBannersFormat) {
  EXPECT_EQ(release_of_image(std::string("Linux version %s\n") + kBanner), "6.1.0-50-rt-armmp");
}

class PackedImage : public ::testing::TestWithParam<const char*> {};

// A zImage: code, then the kernel as the tool packs it, then more. The banner is in the
// midst of it.
TEST_P(PackedImage, IsUnpackedToFindTheBanner) {
  const TemporaryDirectory directory;
  const auto plain =
      directory.file("kernel", std::string(5000, 'k') + kBanner + std::string(4'000'000, 'k'));
  SystemCommands commands;
  const auto packed = commands.run({GetParam(), "-c", plain.string()});
  if (!packed) GTEST_SKIP() << packed.error().message();

  EXPECT_EQ(release_of_image(std::string(300, '\x01') + *packed + std::string(600, '\x02')),
            "6.1.0-50-rt-armmp");
}

INSTANTIATE_TEST_SUITE_P(By, PackedImage, ::testing::Values("gzip", "xz", "zstd"));

TEST(ReleaseOfImage, IsUnknownForSomethingElse) {
  EXPECT_EQ(release_of_image(""), std::nullopt);
  EXPECT_EQ(release_of_image("\x1f\x8b\x08 not really gzip"), std::nullopt);
  EXPECT_EQ(release_of_image(std::string(0x210, 'H').replace(0x202, 4, "HdrS")), std::nullopt);
}

TEST(Unpack, StopsAtTheLimit) {
  const TemporaryDirectory directory;
  const auto zeros = directory.file("zeros", std::string(1'000'000, '\0'));
  SystemCommands commands;
  const auto packed = commands.run({"gzip", "-c", zeros.string()});
  ASSERT_THAT(packed, IsOk());

  EXPECT_EQ(unpack(*packed, 1000).value().size(), 1000U);
}

TEST(Unpack, LeavesWhatIsNotPackedAlone) {
  EXPECT_THAT(unpack("\x7f"
                     "ELF plain module",
                     1000),
              IsOkAnd(StrEq("\x7f"
                            "ELF plain module")));
}

TEST(Unpack, RefusesACutOffFile) {
  const TemporaryDirectory directory;
  const auto text = directory.file("text", std::string(100'000, 'x') + std::string(100'000, 'y'));
  SystemCommands commands;
  const auto packed = commands.run({"xz", "-c", text.string()});
  ASSERT_THAT(packed, IsOk());

  EXPECT_THAT(unpack(std::string_view(*packed).substr(0, packed->size() / 2), 1'000'000),
              FailsWith(Errc::kBadData, "decompress"));
}

}  // namespace
}  // namespace rtsweep
