// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/kernel_config.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/analysis/rt_rules_support.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::config_of;
using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string value_of(const KernelConfig& config, std::string_view option) {
  const ConfigSetting* setting = config.find(option);
  return setting == nullptr ? "absent" : setting->value;
}

TEST(KernelConfig, ReadsEveryFormOfASetting) {
  const KernelConfig config = config_of(
      "CONFIG_SMP=y\n"
      "CONFIG_KVM=m\n"
      "CONFIG_DEBUG_PREEMPT=n\n"
      "# CONFIG_KASAN is not set\n"
      "CONFIG_NR_CPUS=64\n"
      "CONFIG_PHYSICAL_START=0x1000000\n"
      "CONFIG_LOCALVERSION=\"-rt lab\"\n");

  EXPECT_EQ(value_of(config, "SMP"), "y");
  EXPECT_EQ(value_of(config, "KVM"), "m");
  EXPECT_EQ(value_of(config, "DEBUG_PREEMPT"), "n");
  EXPECT_EQ(value_of(config, "KASAN"), "n");
  EXPECT_EQ(value_of(config, "NR_CPUS"), "64");
  EXPECT_EQ(value_of(config, "PHYSICAL_START"), "0x1000000");
  EXPECT_EQ(value_of(config, "LOCALVERSION"), "-rt lab");
  EXPECT_EQ(value_of(config, "FTRACE"), "absent");
  EXPECT_TRUE(config.is_on("KVM"));
  EXPECT_FALSE(config.is_on("KASAN"));
}

TEST(KernelConfig, KnowsTheLineOfASetting) {
  const KernelConfig config = config_of("# a comment\n\nCONFIG_SMP=y\n");

  EXPECT_EQ(config.find("SMP")->line, 3u);
  EXPECT_EQ(config.find("SMP")->text, "CONFIG_SMP=y");
}

TEST(KernelConfig, TakesTheLastOfSeveralAndSaysSo) {
  const KernelConfig config = config_of("CONFIG_HZ_100=y\nCONFIG_KVM=y\nCONFIG_KVM=n\n");

  EXPECT_EQ(value_of(config, "KVM"), "n");
  ASSERT_THAT(config.duplicates, SizeIs(1));
  EXPECT_EQ(config.duplicates[0].line, 3u);
  EXPECT_THAT(config.duplicates[0].text, HasSubstr("to another value: y in line 2, n in line 3"));
}

TEST(KernelConfig, ReportsTwoOptionsOfOneChoice) {
  const KernelConfig config = config_of("CONFIG_PREEMPT_RT=y\nCONFIG_PREEMPT=y\n");

  ASSERT_THAT(config.conflicts, SizeIs(1));
  EXPECT_THAT(config.conflicts[0].text,
              HasSubstr("CONFIG_PREEMPT_RT=y and CONFIG_PREEMPT=y are one choice"));
}

// 6.13 took PREEMPT_RT out of the choice; a generated .config cannot hold a conflict.
TEST(KernelConfig, AcceptsPreemptBesidePreemptRtInAGeneratedConfig) {
  const KernelConfig config = config_of(
      "# Automatically generated file; DO NOT EDIT.\n"
      "# Linux/x86 6.13.1 Kernel Configuration\n"
      "CONFIG_64BIT=y\nCONFIG_PREEMPT=y\nCONFIG_PREEMPT_RT=y\n");

  EXPECT_THAT(config.conflicts, IsEmpty());
  EXPECT_EQ(config.kernel_version, "6.13.1");
  EXPECT_EQ(config.kind, ConfigKind::kFull);
}

TEST(KernelConfig, ReadsAValueBeforeAnInlineComment) {
  const KernelConfig config = config_of("CONFIG_EVL=y  # the core\n");

  EXPECT_EQ(value_of(config, "EVL"), "y");
  EXPECT_THAT(config.ignored, IsEmpty());
}

TEST(KernelConfig, PassesOverNotSetWithTextBehindIt) {
  const KernelConfig config = config_of(
      "CONFIG_EVL=y\n"
      "# CONFIG_EVL_DEBUG_MEMORY is not set  # very slow\n");

  EXPECT_EQ(value_of(config, "EVL_DEBUG_MEMORY"), "absent");
  ASSERT_THAT(config.ignored, SizeIs(1));
  EXPECT_EQ(config.ignored[0].line, 2u);
}

TEST(KernelConfig, FillsInTheNumberOfTheTimerFrequency) {
  EXPECT_EQ(value_of(config_of("CONFIG_HZ_250=y\n"), "HZ"), "250");
  EXPECT_EQ(value_of(config_of("# CONFIG_HZ_250 is not set\n"), "HZ"), "absent");
}

TEST(KernelConfig, ReadsWindowsLineEnds) {
  const KernelConfig config = config_of("CONFIG_SMP=y\r\n# CONFIG_KASAN is not set\r\n");

  EXPECT_EQ(value_of(config, "SMP"), "y");
  EXPECT_EQ(value_of(config, "KASAN"), "n");
}

TEST(KernelConfig, KnowsTheArchitectureByItsHeaderOrItsOptions) {
  EXPECT_EQ(config_of("# Linux/arm64 6.1.0 Kernel Configuration\nCONFIG_SMP=y\n").arch, "arm64");
  EXPECT_EQ(config_of("# x86_64\nCONFIG_SMP=y\n").arch, "x86_64");
  EXPECT_EQ(config_of("CONFIG_RISCV=y\n").arch, "riscv64");
  EXPECT_EQ(config_of("CONFIG_ARM64_16K_PAGES=y\n").arch, "arm64");
  EXPECT_EQ(config_of("CONFIG_SMP=y\n").arch, "");
}

TEST(KernelConfig, NamesTheLineOfATextThatIsNone) {
  EXPECT_THAT(parse_kernel_config("hello\nCONFIG_SMP=y\nworld\n"),
              FailsWith(Errc::kBadData, "line 1: not a kernel configuration: 'hello'"));
  EXPECT_THAT(parse_kernel_config(""), FailsWith(Errc::kBadData, "sets no option"));
  EXPECT_THAT(parse_kernel_config(std::string_view("CONFIG_A=y\0", 11)),
              FailsWith(Errc::kBadData, "binary"));
}

TEST(KernelConfig, SurvivesGarbage) {
  std::mt19937 random(1);  // NOLINT: the same garbage every time
  const std::string_view pieces[] = {"CONFIG_", "=", "\"", "# ",     " is not set",
                                     "\n",      "y", "\r", "HZ_100", "999999999999999999999",
                                     "\xff",    " "};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 30; ++i) text += pieces[random() % std::size(pieces)];
    const auto config = parse_kernel_config(text);
    EXPECT_TRUE(!config || config->settings.size() <= 31) << text;
  }
}

}  // namespace
}  // namespace rtsweep
