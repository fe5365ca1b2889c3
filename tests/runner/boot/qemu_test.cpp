// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/boot/qemu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/base/text.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::Not;

VmConfig config_for(std::string_view arch) {
  return {.model = vm_model(arch).value(),
          .kernel = "/k/vmlinuz",
          .initrd = "/k/initrd",
          .cmdline = "numa=fake=4",
          .seed = 42,
          .sd_card = {},
          .console = "/r/console.log",
          .results = "/r/results.bin"};
}

std::string line(const VmConfig& config) { return shell_quote(qemu_arguments(config)); }

TEST(Qemu, CountsInstructionsInVirtualTime) {
  const std::string arguments = line(config_for("arm64"));

  EXPECT_THAT(arguments, HasSubstr("-icount shift=3,sleep=off,rr=record,rrfile=/dev/null"));
  EXPECT_THAT(arguments, HasSubstr("-rtc base=2026-01-01,clock=vm"));
  EXPECT_THAT(arguments, HasSubstr("-seed 42 -smp 1"));
  EXPECT_THAT(arguments, HasSubstr("-nic none -no-reboot"));
}

TEST(Qemu, DoesNotRecordWhereRecordingBreaksTheMachine) {
  VmConfig config = config_for("armhf");
  config.record = false;

  EXPECT_THAT(line(config), HasSubstr("-icount shift=3,sleep=off -rtc"));
}

TEST(Qemu, LetsResultsOutOverAPciCard) {
  for (const char* arch : {"arm64", "armhf", "amd64", "i386"}) {
    EXPECT_THAT(line(config_for(arch)),
                HasSubstr("-serial chardev:console -device pci-serial,chardev=results"));
  }
}

TEST(Qemu, FollowsTheHostsClockOnlyWhenAsked) {
  VmConfig config = config_for("amd64");
  config.clock = VmClock::kReal;
  config.accelerator = "kvm";

  EXPECT_THAT(line(config), HasSubstr("-cpu host -accel kvm"));
  EXPECT_THAT(line(config), Not(HasSubstr("icount")));
}

TEST(Qemu, PutsTheSdCardBehindSdhci) {
  VmConfig config = config_for("arm64");
  config.sd_card = "/r/a,b.raw";

  EXPECT_THAT(line(config), HasSubstr("if=none,id=sd,format=raw,file=/r/a,,b.raw"));
  EXPECT_THAT(line(config), HasSubstr("-device sdhci-pci -device sd-card,drive=sd"));
}

TEST(VmCmdline, EndsTheVmWhenTheKernelDies) {
  EXPECT_EQ(vm_cmdline(config_for("armhf")),
            "console=ttyAMA0 panic=-1 oops=panic loglevel=6 nokaslr cryptomgr.notests "
            "earlycon numa=fake=4");
}

TEST(VmModel, NamesTheArchitecturesThatThereAre) {
  EXPECT_THAT(vm_model("riscv64"), FailsWith(Errc::kNotSupported, "arm64, armhf"));
}

TEST(RecordWorks, UnlessTheKernelIs32BitArmAfter61) {
  EXPECT_TRUE(record_works("arm64", "6.12.117+deb13-rt-arm64"));
  EXPECT_TRUE(record_works("armhf", "6.1.0-50-rt-armmp"));
  EXPECT_FALSE(record_works("armhf", "6.12.117+deb13-rt-armmp"));
  EXPECT_FALSE(record_works("armhf", "unknown"));
}

}  // namespace
}  // namespace rtsweep
