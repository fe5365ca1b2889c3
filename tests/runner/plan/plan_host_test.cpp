// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/plan_host.h"

#include <gmock/gmock.h>

#include "tests/support/fake_host.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const Plan kLocal{.target = "local", .factors = {{"load", {"idle", "hackbench"}}}};

TEST(ThisHost, ReadsTheBoardWithoutTheNulOfTheDeviceTree) {
  testing::FakeHost host;
  host.file("proc/device-tree/model", std::string("Raspberry Pi 4 Model B Rev 1.2\0", 31));

  EXPECT_EQ(this_host(host.root(), kLocal, {}).board, "Raspberry Pi 4 Model B Rev 1.2");
}

TEST(ThisHost, CountsCpusAndNodes) {
  testing::FakeHost host;
  host.file("sys/devices/system/cpu/online", "0-3\n");
  host.file("sys/devices/system/node/online", "0-1\n");

  const PlanHost facts = this_host(host.root(), kLocal, {});

  EXPECT_EQ(facts.cpus, 4);
  EXPECT_THAT(facts.nodes, ElementsAre(0, 1));
}

TEST(ThisHost, HasNoNodesOnAKernelWithoutNuma) {
  const testing::FakeHost host;

  EXPECT_THAT(this_host(host.root(), kLocal, {}).nodes, IsEmpty());
}

// CAP_SYS_NICE is bit 23: 0x800000.
TEST(ThisHost, MaySetEveryPriorityWithCapSysNice) {
  testing::FakeHost host;
  host.file("proc/self/status", "Name:\trtsweep\nCapPrm:\t0\nCapEff:\t0000000000800000\n");

  EXPECT_EQ(this_host(host.root(), kLocal, {}).highest_rt_priority, 99);
}

TEST(ThisHost, MaySetThePriorityOfItsLimitWithoutTheCapability) {
  testing::FakeHost host;
  host.file("proc/self/status", "CapEff:\t00000000007fffff\n");
  host.file("proc/self/limits",
            "Limit                     Soft Limit           Hard Limit           Units     \n"
            "Max nice priority         0                    0                    \n"
            "Max realtime priority     95                   95                   \n");

  EXPECT_EQ(this_host(host.root(), kLocal, {}).highest_rt_priority, 95);
}

TEST(ThisHost, FindsProgramsInPathOnly) {
  testing::FakeHost host;
  host.file("bin/cyclictest", "").file("bin/hackbench", "").file("other/fio", "");
  const auto bin = host.root().path("bin");
  std::filesystem::permissions(bin / "cyclictest", std::filesystem::perms::owner_all);

  const PlanHost facts =
      this_host(host.root(), kLocal, {.search_path = "/nonexistent:" + bin.string()});

  EXPECT_THAT(facts.programs, ElementsAre("cyclictest"));  // hackbench is not executable
}

TEST(ThisHost, FindsTheGuestsThatAreBuilt) {
  testing::FakeHost host;
  host.file("guest/armhf/rtsweep-guest", "").file("guest/arm64/README", "");
  const auto guests = host.root().path("guest");
  std::filesystem::permissions(guests / "armhf/rtsweep-guest", std::filesystem::perms::owner_all);

  EXPECT_THAT(this_host(host.root(), kLocal, {.guests = guests}).guests, ElementsAre("armhf"));
}

TEST(ThisHost, MissesFilesOfKernelsByPathAndReadsTheirConfig) {
  testing::FakeHost host;
  host.file("k/Image", "").file("k/config", "CONFIG_COMPAT=y\n");
  Plan plan = kLocal;
  plan.kernels["mine"] = {.image = host.root().path("k/Image"),
                          .modules = host.root().path("k/modules"),
                          .config = host.root().path("k/config"),
                          .arch = "arm64"};

  const PlanHost facts = this_host(host.root(), plan, {});

  EXPECT_THAT(facts.missing_files, ElementsAre(host.root().path("k/modules")));
  EXPECT_EQ(facts.configs.at({"mine", "arm64"}), "CONFIG_COMPAT=y\n");
}

TEST(ThisHost, AsksLoadsWhatTheyThinkOfTheirOptions) {
  const testing::FakeHost host;
  Plan plan = kLocal;
  plan.loads["hackbench"].options["ipc"] = "tcp";

  const PlanHost facts = this_host(host.root(), plan, {});

  ASSERT_TRUE(facts.load_refusals.contains("hackbench"));
  EXPECT_THAT(facts.load_refusals.at("hackbench"), HasSubstr("ipc"));
  EXPECT_FALSE(facts.load_refusals.contains("idle"));
}

}  // namespace
}  // namespace rtsweep
