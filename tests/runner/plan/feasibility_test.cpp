// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/feasibility.h"

#include <gmock/gmock.h>

#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

// A PC on which every VM of Debian's kernels is possible.
PlanHost pc() {
  return {.arch = "amd64",
          .cpus = 2,
          .kernels = {{.name = "6.1-rt", .arch = "amd64", .rt = true},
                      {.name = "6.1-rt", .arch = "i386", .rt = true},
                      {.name = "6.1-rt", .arch = "arm64", .rt = true},
                      {.name = "6.1-rt", .arch = "armhf", .rt = true},
                      {.name = "6.12-rt", .arch = "amd64", .rt = true},
                      {.name = "6.12-rt", .arch = "arm64", .rt = true},
                      {.name = "6.12-rt", .arch = "armhf", .rt = true}},
          .programs = {"qemu-system-x86_64", "qemu-system-i386", "qemu-system-aarch64",
                       "qemu-system-arm", "cyclictest", "stress-ng", "hackbench", "numactl"},
          .guests = {"amd64", "i386", "arm64", "armhf"}};
}

PlanHost pi5() {
  PlanHost host = pc();
  host.arch = "arm64";
  host.board = "Raspberry Pi 5 Model B Rev 1.0";
  return host;
}

const Plan kVm{.target = "vm"};
const Plan kLocal{.target = "local"};

std::optional<std::string> reason(const Plan& plan, const Cell& cell, const PlanHost& host) {
  return impossible_reason(plan, {.id = 1, .cell = cell}, host);
}

TEST(ImpossibleReason, IsNoneForWhatThisMachineCanDo) {
  EXPECT_EQ(reason(kVm, {{"kernel", "6.12-rt"}, {"arch", "armhf"}, {"load", "sd-write"}}, pc()),
            std::nullopt);
  EXPECT_EQ(reason(kLocal, {{"load", "cpu+hackbench"}}, pc()), std::nullopt);
  EXPECT_EQ(reason(kLocal, {{"arch", "amd64"}, {"load", "idle"}}, pc()), std::nullopt);
}

TEST(ImpossibleReason, IsAKernelThatIsNotPublishedForTheArchitecture) {
  EXPECT_THAT(reason(kVm, {{"kernel", "6.12-rt"}, {"arch", "i386"}}, pc()),
              Optional(HasSubstr("kernel 6.12-rt is not published for i386, only for amd64, arm64, "
                                 "armhf; leave it out with [[exclude]]")));
}

TEST(ImpossibleReason, IsA32BitKernelOnAPi5ButNotInAVmOnIt) {
  EXPECT_THAT(reason(kLocal, {{"arch", "armhf"}}, pi5()),
              Optional(HasSubstr("a Raspberry Pi 5 Model B Rev 1.0 cannot run a 32-bit kernel")));
  EXPECT_EQ(reason(kVm, {{"kernel", "6.1-rt"}, {"arch", "armhf"}}, pi5()), std::nullopt);
}

TEST(ImpossibleReason, IsAnotherBitnessThanTheRunningKernels) {
  PlanHost pi4 = pi5();
  pi4.board = "Raspberry Pi 4 Model B Rev 1.2";

  EXPECT_THAT(reason(kLocal, {{"arch", "armhf"}}, pi4),
              Optional(HasSubstr("the running kernel, which is 64-bit on arm64, not armhf")));
  EXPECT_THAT(reason(kLocal, {{"arch", "arm64"}}, pc()), Optional(HasSubstr("not arm64")));
}

TEST(ImpossibleReason, LetsA32BitUserlandMeasureIts64BitKernel) {
  PlanHost pi4 = pi5();
  pi4.arch = "armhf";

  EXPECT_EQ(reason(kLocal, {{"arch", "arm64"}}, pi4), std::nullopt);
}

TEST(ImpossibleReason, IsNumaEmulationOnA32BitKernel) {
  const Cell cell{{"kernel", "6.1-rt"}, {"arch", "armhf"}, {"cmdline", "quiet numa=fake=4"}};

  EXPECT_THAT(reason(kVm, cell, pc()),
              Optional(HasSubstr("a 32-bit armhf kernel has no NUMA emulation (numa=fake=)")));
}

TEST(ImpossibleReason, IsNumaEmulationOnDebiansArm64KernelsButNotOnAmd64) {
  Cell cell{{"kernel", "6.12-rt"}, {"arch", "arm64"}, {"cmdline", "numa=fake=4"}};
  EXPECT_THAT(reason(kVm, cell, pc()), Optional(HasSubstr("without CONFIG_NUMA_EMU")));

  cell["arch"] = "amd64";
  EXPECT_EQ(reason(kVm, cell, pc()), std::nullopt);
}

TEST(ImpossibleReason, BelievesTheConfigOfAKernelMoreThanItsName) {
  const Cell arm64{{"kernel", "6.12-rt"}, {"arch", "arm64"}, {"cmdline", "numa=fake=4"}};
  const Cell amd64{{"kernel", "6.12-rt"}, {"arch", "amd64"}, {"cmdline", "numa=fake=4"}};
  PlanHost host = pc();
  host.configs[{"6.12-rt", "arm64"}] = "CONFIG_NUMA=y\nCONFIG_NUMA_EMU=y\n";
  host.configs[{"6.12-rt", "amd64"}] = "CONFIG_NUMA=y\n# CONFIG_NUMA_EMU is not set\n";

  EXPECT_EQ(reason(kVm, arm64, host), std::nullopt);
  EXPECT_THAT(reason(kVm, amd64, host), Optional(HasSubstr("without CONFIG_NUMA_EMU")));
}

TEST(ImpossibleReason, IsA32BitUserlandThatIsTheNativeOne) {
  const Cell cell{{"kernel", "6.1-rt"}, {"arch", "i386"}, {"userland", "32-bit"}};

  EXPECT_THAT(reason(kVm, cell, pc()),
              Optional(HasSubstr("a 32-bit userland on a 32-bit i386 kernel is the native one")));
}

TEST(ImpossibleReason, IsA32BitUserlandOnAKernelThatRunsNone) {
  const Cell arm64{{"kernel", "6.1-rt"}, {"arch", "arm64"}, {"userland", "32-bit"}};
  const Cell amd64{{"kernel", "6.1-rt"}, {"arch", "amd64"}, {"userland", "32-bit"}};
  PlanHost host = pc();
  EXPECT_EQ(reason(kVm, arm64, host), std::nullopt);

  host.configs[{"6.1-rt", "arm64"}] = "# CONFIG_COMPAT is not set\n";
  host.configs[{"6.1-rt", "amd64"}] = "CONFIG_COMPAT_32=y\n";
  EXPECT_THAT(reason(kVm, arm64, host), Optional(HasSubstr("has no CONFIG_COMPAT")));
  EXPECT_THAT(reason(kVm, amd64, host), Optional(HasSubstr("has no CONFIG_IA32_EMULATION")));
}

TEST(ImpossibleReason, IsAMemoryNodeThatWillNotExist) {
  Cell cell{{"kernel", "6.1-rt"}, {"arch", "amd64"}, {"probe_memory", "bind:1"}};
  EXPECT_THAT(reason(kVm, cell, pc()),
              Optional(HasSubstr("probe_memory \"bind:1\" names memory node 1, and there will be "
                                 "node 0 only; boot with cmdline \"numa=fake=2\"")));

  cell["cmdline"] = "numa=fake=2";
  EXPECT_EQ(reason(kVm, cell, pc()), std::nullopt);
  cell["load_memory"] = "interleave:0-2";
  EXPECT_THAT(reason(kVm, cell, pc()), Optional(HasSubstr("node 2, and there will be nodes 0-1")));
}

TEST(ImpossibleReason, DoesNotGuessHowManyNodesASizeMakes) {
  const Cell cell{{"kernel", "6.1-rt"},
                  {"arch", "amd64"},
                  {"cmdline", "numa=fake=64M"},
                  {"probe_memory", "bind:5"}};

  EXPECT_EQ(reason(kVm, cell, pc()), std::nullopt);
}

TEST(ImpossibleReason, IsAMemoryPolicyOnAKernelWithoutNuma) {
  const Cell cell{{"kernel", "6.1-rt"}, {"arch", "armhf"}, {"load_memory", "bind:0"}};
  EXPECT_THAT(reason(kVm, cell, pc()), Optional(HasSubstr("needs a kernel with NUMA")));

  PlanHost host = pc();
  host.nodes = {};
  EXPECT_THAT(reason(kLocal, {{"probe_memory", "interleave:all"}}, host),
              Optional(HasSubstr("needs a kernel with NUMA, and the running one has none")));
}

TEST(ImpossibleReason, IsAMissingProgramWithThePackageThatHasIt) {
  PlanHost host = pc();
  host.programs = {};

  EXPECT_THAT(reason(kVm, {{"kernel", "6.1-rt"}, {"arch", "arm64"}}, host),
              Optional(HasSubstr("qemu-system-aarch64 is not installed; apt-get install "
                                 "qemu-system-arm")));
  EXPECT_THAT(reason(kLocal, {{"load", "idle"}}, host),
              Optional(HasSubstr("cyclictest is not installed; apt-get install rt-tests")));
  host.programs = {"cyclictest"};
  EXPECT_THAT(reason(kLocal, {{"load", "hackbench"}}, host),
              Optional(HasSubstr("hackbench is not installed; apt-get install rt-tests")));
  EXPECT_THAT(reason(kLocal, {{"load", "cpu"}}, host),
              Optional(HasSubstr("stress-ng is not installed; apt-get install stress-ng")));
  EXPECT_THAT(reason(kLocal, {{"probe_memory", "local"}}, host),
              Optional(HasSubstr("numactl is not installed; apt-get install numactl")));
}

TEST(ImpossibleReason, IsAGuestThatIsNotBuiltForTheUserland) {
  PlanHost host = pc();
  host.guests = {"arm64"};
  Cell cell{{"kernel", "6.1-rt"}, {"arch", "arm64"}};
  EXPECT_EQ(reason(kVm, cell, host), std::nullopt);

  cell["userland"] = "32-bit";
  EXPECT_THAT(reason(kVm, cell, host),
              Optional(HasSubstr("the measuring program for armhf guests is not built")));
}

TEST(ImpossibleReason, IsAPriorityThatThisUserMayNotSet) {
  PlanHost host = pc();
  host.highest_rt_priority = 0;

  EXPECT_THAT(reason(kLocal, {{"load", "idle"}}, host),
              Optional(HasSubstr("may not run threads at real-time priority 90")));
  EXPECT_EQ(reason(kVm, {{"kernel", "6.1-rt"}, {"arch", "amd64"}}, host), std::nullopt);
}

TEST(ImpossibleReason, IsAKernelByPathOfAnotherArchitectureOrWithoutItsFiles) {
  Plan plan = kVm;
  plan.kernels["mine"] = {.image = "/boot/Image", .arch = "arm64"};
  PlanHost host = pc();
  EXPECT_EQ(reason(plan, {{"kernel", "mine"}}, host), std::nullopt);

  EXPECT_THAT(reason(plan, {{"kernel", "mine"}, {"arch", "armhf"}}, host),
              Optional(HasSubstr("kernel mine is given for arm64")));
  host.missing_files = {"/boot/Image"};
  EXPECT_THAT(reason(plan, {{"kernel", "mine"}, {"arch", "arm64"}}, host),
              Optional(HasSubstr("there is no /boot/Image")));
}

TEST(ImpossibleReason, IsWhatALoadSaysOfItsOptions) {
  PlanHost host = pc();
  host.load_refusals["hackbench"] = "option 'ipc' is 'tcp'";

  EXPECT_THAT(reason(kLocal, {{"load", "cpu+hackbench"}}, host),
              Optional(HasSubstr("load hackbench: option 'ipc' is 'tcp'")));
}

}  // namespace
}  // namespace rtsweep
