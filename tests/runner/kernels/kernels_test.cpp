// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/kernels.h"

#include <set>

#include "runner/base/files.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::IsOk;
using testing::IsOkAnd;

TEST(ParseKernels, GivesOneEntryForEachArchitectureInTheOrderOfTheFile) {
  const auto entries = parse_kernels(R"(
["6.1-rt"]
suite = "bookworm"
rt = true
arm64 = "linux-image-rt-arm64"
armhf = "linux-image-rt-armmp"

["6.1"]
suite = "bookworm"
rt = false
amd64 = "linux-image-amd64"
)",
                                     "kernels.toml");

  EXPECT_THAT(entries, IsOkAnd(ElementsAre(
                           KernelEntry{"6.1-rt", "arm64", "bookworm", "linux-image-rt-arm64", true},
                           KernelEntry{"6.1-rt", "armhf", "bookworm", "linux-image-rt-armmp", true},
                           KernelEntry{"6.1", "amd64", "bookworm", "linux-image-amd64", false})));
}

// Line and column are counted by hand: the first line is 1.
TEST(ParseKernels, PointsAtAnUnknownKeyAndNamesTheNearestOne) {
  EXPECT_THAT(parse_kernels("[\"6.1\"]\nsuite = \"bookworm\"\nrt = true\n  arm46 = \"linux\"\n",
                            "dir/kernels.toml"),
              FailsWith(Errc::kInvalidPlan,
                        "dir/kernels.toml:4:3: unknown key 'arm46', did you mean 'arm64'?"));
}

TEST(ParseKernels, PointsAtWhatIsNotToml) {
  EXPECT_THAT(parse_kernels("[\"6.1\"]\nsuite = bookworm\n", "kernels.toml"),
              FailsWith(Errc::kInvalidPlan, "kernels.toml:2:"));
}

TEST(ParseKernels, PointsAtAKernelWithoutSuite) {
  EXPECT_THAT(parse_kernels("\n[\"6.1\"]\nrt = true\namd64 = \"linux\"\n", "k"),
              FailsWith(Errc::kInvalidPlan, "k:2:2: kernel '6.1' has no 'suite'"));
}

TEST(ParseKernels, DoesNotGuessWhetherAKernelIsRt) {
  EXPECT_THAT(parse_kernels("[\"6.1-rt\"]\nsuite = \"trixie\"\namd64 = \"linux\"\n", "k"),
              FailsWith(Errc::kInvalidPlan, "kernel '6.1-rt' has no 'rt'"));
}

TEST(ParseKernels, RefusesAKernelWithoutPackages) {
  EXPECT_THAT(parse_kernels("[\"6.1\"]\nsuite = \"trixie\"\nrt = true\n", "k"),
              FailsWith(Errc::kInvalidPlan, "no package for any architecture"));
}

TEST(ParseKernels, RefusesAPackageThatAptWouldTakeForAnOption) {
  EXPECT_THAT(
      parse_kernels("[x]\nsuite = \"trixie\"\nrt = true\namd64 = \"--download-only\"\n", "k"),
      FailsWith(Errc::kInvalidPlan, "k:4:9: '--download-only' is not the name"));
}

TEST(ParseKernels, RefusesATextWhereABoolBelongs) {
  EXPECT_THAT(parse_kernels("[x]\nsuite = \"trixie\"\nrt = \"yes\"\namd64 = \"linux\"\n", "k"),
              FailsWith(Errc::kInvalidPlan, "k:3:6: 'rt' must be true or false"));
}

TEST(ParseKernels, RefusesAnEmptyFile) {
  EXPECT_THAT(parse_kernels("", "k"), FailsWith(Errc::kInvalidPlan, "names no kernel"));
}

TEST(KernelsToml, OfThisRepositoryHasBothVersionsForAllThatDebianPublishes) {
  const auto text = read_file(RTSWEEP_SOURCE_DIR "/kernel-configs/kernels.toml");
  ASSERT_THAT(text, IsOk());

  const auto entries = parse_kernels(*text, "kernels.toml");

  ASSERT_THAT(entries, IsOk());
  for (const char* name : {"6.1-rt", "6.1"}) {
    for (const char* arch : {"amd64", "i386", "arm64", "armhf"}) {
      EXPECT_THAT(find_kernel(*entries, name, arch), IsOk());
    }
  }
  for (const char* arch : {"amd64", "arm64", "armhf"}) {
    EXPECT_THAT(find_kernel(*entries, "6.12-rt", arch), IsOk());
  }
}

TEST(FindKernel, SaysWhichArchitecturesThereAre) {
  const KernelEntry entries[] = {{.name = "6.12-rt", .arch = "amd64"},
                                 {.name = "6.12-rt", .arch = "arm64"}};

  EXPECT_THAT(
      find_kernel(entries, "6.12-rt", "i386"),
      FailsWith(Errc::kInvalidPlan, "no kernel '6.12-rt' for i386; it exists for amd64, arm64"));
}

TEST(FindKernel, SuggestsTheNearestName) {
  const KernelEntry entries[] = {{.name = "6.12-rt", .arch = "amd64"}};

  EXPECT_THAT(find_kernel(entries, "6.12rt", "amd64"),
              FailsWith(Errc::kInvalidPlan, "did you mean '6.12-rt'?"));
}

TEST(KernelBits, AreThoseOfTheArchitecture) {
  EXPECT_EQ(kernel_bits("amd64"), 64);
  EXPECT_EQ(kernel_bits("arm64"), 64);
  EXPECT_EQ(kernel_bits("i386"), 32);
  EXPECT_EQ(kernel_bits("armhf"), 32);
}

}  // namespace
}  // namespace rtsweep
