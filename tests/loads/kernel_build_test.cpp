// SPDX-License-Identifier: GPL-2.0-or-later

// kernel-build: what it runs on which tree, and what of make's output it counts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "runner/base/text.h"
#include "tests/loads/load_bench.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::FailsWith;
using testing::FakeHost;
using ::testing::HasSubstr;
using testing::IsOkAnd;
using testing::LoadBench;

TEST(KernelBuild, RunsTheScriptOfAPreparedTreeWithAJobMoreThanCpus) {
  LoadBench bench("kernel-build");
  bench.file("usr/src/linux/rtsweep-build", "").file("usr/src/linux/Kbuild", "");
  EXPECT_EQ(bench.command_line(), "sh /usr/src/linux/rtsweep-build 2");
  EXPECT_EQ(bench.cpus({0, 1, 2, 3}).command_line(), "sh /usr/src/linux/rtsweep-build 5");
  EXPECT_EQ(bench.set("jobs", "12").command_line(), "sh /usr/src/linux/rtsweep-build 12");
}

TEST(KernelBuild, BuildsAnyOtherTreeOutsideIt) {
  LoadBench bench("kernel-build");
  bench.file("home/me/linux/Kbuild", "").set("tree", "/home/me/linux");
  const auto argv = bench.arguments();
  ASSERT_THAT(argv, IsOkAnd(::testing::SizeIs(7)));
  EXPECT_THAT((*argv)[2], HasSubstr("tinyconfig"));
  EXPECT_THAT(std::vector(argv->begin() + 4, argv->end()),
              ::testing::ElementsAre("/home/me/linux", "/run/load/build", "2"));
}

TEST(KernelBuild, NeedsATree) {
  LoadBench bench("kernel-build");
  EXPECT_THAT(bench.arguments(),
              FailsWith(Errc::kNotSupported, "no Linux source in /usr/src/linux"));
  EXPECT_THAT(bench.set("tree", "linux-6.1").arguments(),
              FailsWith(Errc::kInvalidPlan, "'linux-6.1', but must be a full path"));
}

TEST(KernelBuild, RefusesAnAbsurdNumberOfJobs) {
  LoadBench bench("kernel-build");
  bench.file("usr/src/linux/rtsweep-build", "");
  EXPECT_THAT(bench.set("jobs", "0").arguments(), FailsWith(Errc::kInvalidPlan, "jobs"));
}

// make's output of Linux 6.1, arm64, --output-sync=target: 3 C and 1 assembler file
// have become objects.
constexpr char kOutput[] =
    "  HOSTCC  lib/gen_crc32table\n"
    "  CC      lib/math/div64.o\n"
    "  CC      lib/math/gcd.o\n"
    "  AR      lib/math/built-in.a\n"
    "make[2]: Nothing to be done for 'arch/arm64/lib/'.\n"
    "  AS      arch/arm64/lib/clear_page.o\n"
    "  LDS     arch/arm64/kernel/vmlinux.lds\n"
    "  UPD     include/generated/compile.h\n"
    "  CALL    scripts/checksyscalls.sh\n"
    "  CC      kernel/bounds.s\n"
    "  CC      lib/bcd.o\n";

class KernelBuildWork : public ::testing::Test {
 protected:
  Result<uint64_t> work(const std::string& output, std::string_view state = "S") {
    const std::filesystem::path log = host_.root().path("load.log");
    host_.file("load.log", output);
    host_.file("proc/300/stat", "300 (make) " + std::string(state) +
                                    " 1 300 300 0 -1 4194304 1163 0 0 0 24 221 0 0 20 0 3 0 9021 "
                                    "0 0\n");
    const HostRoot root = host_.root();
    const std::map<std::string, std::string> options;
    return builtin_loads()
        .find("kernel-build")
        ->work({.host = root, .group = 300, .log = log, .scratch = "", .options = options});
  }

  FakeHost host_;
};

TEST_F(KernelBuildWork, IsTheObjectsThatMakeSaidItFinished) {
  EXPECT_THAT(work(kOutput), IsOkAnd(::testing::Eq(4U)));
}

TEST_F(KernelBuildWork, IsNothingYetWhileMakeReadsItsFiles) {
  EXPECT_THAT(work(""), IsOkAnd(::testing::Eq(0U)));
}

TEST_F(KernelBuildWork, DoesNotCountALineThatIsBeingWritten) {
  EXPECT_THAT(work("  CC      lib/bcd.o\n  CC      lib/ctype.o"), IsOkAnd(::testing::Eq(1U)));
}

TEST_F(KernelBuildWork, OfABuildThatHasFailedIsAnError) {
  EXPECT_THAT(work(kOutput, "Z"), FailsWith(Errc::kChildFailed, "load.log"));
}

}  // namespace
}  // namespace rtsweep
