// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/virtual/path_machine.h"

#include <gmock/gmock.h>

namespace rtsweep {
namespace {

using ::testing::HasSubstr;

KernelSymbols symbols(const std::string& more) {
  return KernelSymbols::parse(
             "c0001000 T hrtimer_wakeup\nc0001040 T next\nc0002000 t "
             "finish_task_switch.constprop.0\n" +
             more)
      .value();
}

TEST(PathMachine, KnowsTheInterruptVectorsOfArm64) {
  const auto machine = path_machine("arm64", symbols("c0010800 T vectors\n"));

  ASSERT_TRUE(machine);
  EXPECT_THAT(machine->irq_entries, ::testing::ElementsAre(0xc0010a80, 0xc0010c80, 0xc0010e80));
  EXPECT_EQ(machine->stack_shift, 14);
}

TEST(PathMachine, TellsThePluginWhereTheCodeIs) {
  const auto machine = path_machine("armhf", symbols(""));

  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->plugin_arguments(),
            ",mark=0xffff0018,mark=0xc0002000,wakeup=0xc0001000-0xc0001040,user=0xbf000000");
}

TEST(PathMachine, NamesTheSymbolThatIsMissing) {
  const auto machine = path_machine("amd64", symbols(""));

  ASSERT_FALSE(machine);
  EXPECT_THAT(machine.error().message(), HasSubstr("asm_sysvec_apic_timer_interrupt"));
}

TEST(PathMachine, RefusesOtherArchitectures) { EXPECT_FALSE(path_machine("riscv64", symbols(""))); }

}  // namespace
}  // namespace rtsweep
