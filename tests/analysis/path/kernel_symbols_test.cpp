// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/kernel_symbols.h"

#include <gmock/gmock.h>

namespace rtsweep {
namespace {

using ::testing::HasSubstr;

constexpr char kKallsyms[] =
    "ffffffc008010000 T _stext\n"
    "ffffffc008010000 T __irqentry_text_start\n"
    "ffffffc008010800 T vectors\n"
    "ffffffc0080a0000 t finish_task_switch.isra.0\n"
    "ffffffc0080a0200 t $x\n"
    "ffffffc0080a0300 D jiffies\n"
    "ffffffc0080a0400 T schedule\n"
    "ffffffc001200000 t mmc_request_done\t[mmc_core]\n";

TEST(KernelSymbols, FindsTheFunctionThatAnAddressIsIn) {
  const auto symbols = KernelSymbols::parse(kKallsyms);

  ASSERT_TRUE(symbols);
  EXPECT_EQ(symbols->find(0xffffffc0080a0390)->name, "finish_task_switch.isra.0");
  EXPECT_EQ(symbols->find(0xffffffc0080a0400)->name, "schedule");
  EXPECT_EQ(symbols->find(0xffffffc001200010)->name, "mmc_request_done [mmc_core]");
  EXPECT_EQ(symbols->find(0xffffffc008010004)->name, "_stext");
  EXPECT_EQ(symbols->find(0x1000), nullptr);
}

TEST(KernelSymbols, PassesOverTheCompilersSuffixes) {
  const auto symbols = KernelSymbols::parse(kKallsyms);

  ASSERT_TRUE(symbols);
  EXPECT_EQ(symbols->address_of("finish_task_switch"), 0xffffffc0080a0000);
  EXPECT_EQ(symbols->end_of(0xffffffc0080a0000), 0xffffffc0080a0400);
  EXPECT_EQ(symbols->address_of("finish_task"), std::nullopt);
}

TEST(KernelSymbols, SaysThatAddressesAreHidden) {
  const auto symbols = KernelSymbols::parse("0000000000000000 T _stext\n");

  ASSERT_FALSE(symbols);
  EXPECT_THAT(symbols.error().message(), HasSubstr("no function with an address"));
}

}  // namespace
}  // namespace rtsweep
