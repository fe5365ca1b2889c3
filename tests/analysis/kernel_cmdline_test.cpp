// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/kernel_cmdline.h"

#include <gmock/gmock.h>

#include "analysis/isolation_facts.h"
#include "tests/analysis/rt_rules_support.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::cmdline_of;
using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

TEST(KernelCmdline, KeepsQuotedBlanksTogether) {
  const KernelCmdline cmdline = cmdline_of("quiet dyndbg=\"file a.c +p\" \"foo bar=1 2\" ro\n");

  ASSERT_THAT(cmdline.parameters, SizeIs(4));
  EXPECT_THAT(cmdline.find("dyndbg")->value, Optional(std::string("file a.c +p")));
  EXPECT_THAT(cmdline.find("foo bar")->value, Optional(std::string("1 2")));
  EXPECT_EQ(cmdline.find("ro")->value, std::nullopt);
  EXPECT_EQ(cmdline.find("rw"), nullptr);
}

// parameq() of the kernel takes '-' and '_' for the same.
TEST(KernelCmdline, TakesDashesForUnderscores) {
  EXPECT_NE(cmdline_of("rcu-nocbs=1").find("rcu_nocbs"), nullptr);
}

TEST(KernelCmdline, EndsWhereInitsArgumentsBegin) {
  EXPECT_EQ(cmdline_of("quiet -- idle=poll").find("idle"), nullptr);
}

TEST(KernelCmdline, TakesTheLastValueAndNamesTheOther) {
  const KernelCmdline cmdline = cmdline_of("mitigations=auto mitigations=off");

  EXPECT_THAT(cmdline.find("mitigations")->value, Optional(std::string("off")));
  ASSERT_THAT(cmdline.overridden(), SizeIs(1));
  EXPECT_EQ(cmdline.overridden()[0]->text, "mitigations=auto");
}

TEST(KernelCmdline, DoesNotCallCollectedParametersOverridden) {
  EXPECT_THAT(cmdline_of("console=tty0 console=ttyS0 quiet quiet").overridden(), IsEmpty());
}

TEST(KernelCmdline, RefusesSeveralLinesAndBinaryData) {
  EXPECT_THAT(parse_kernel_cmdline("quiet\nro"), FailsWith(Errc::kBadData, "line 2"));
  EXPECT_THAT(parse_kernel_cmdline(std::string(100000, 'x')), FailsWith(Errc::kBadData, "longer"));
  EXPECT_THAT(parse_kernel_cmdline(std::string_view("a\0b", 3)),
              FailsWith(Errc::kBadData, "binary"));
}

TEST(BootCpuList, TakesRangesAndGroups) {
  EXPECT_THAT(parse_boot_cpu_list("2-3,5"), Optional(ElementsAre(2, 3, 5)));
  EXPECT_THAT(parse_boot_cpu_list("0-7:1/4"), Optional(ElementsAre(0, 4)));
}

TEST(BootCpuList, IsUnknownWithoutTheMachine) {
  EXPECT_EQ(parse_boot_cpu_list("all"), std::nullopt);
  EXPECT_EQ(parse_boot_cpu_list("1-N"), std::nullopt);
  EXPECT_EQ(parse_boot_cpu_list("3-1"), std::nullopt);
  EXPECT_EQ(parse_boot_cpu_list("1-2:1/0"), std::nullopt);
}

TEST(Isolcpus, SeparatesFlagsFromCpus) {
  const IsolcpusValue value = parse_isolcpus("managed_irq,domain,2-3");

  EXPECT_THAT(value.flags, ElementsAre("managed_irq", "domain"));
  EXPECT_EQ(value.cpus, "2-3");
}

std::vector<std::string> isolation_of(std::string_view text) {
  SystemView view;
  view.cmdline = cmdline_of(text);
  std::vector<std::string> values;
  const Observations facts = isolation_facts(view);
  for (const Observation& one : facts.at("isolation")) values.push_back(one.value);
  return values;
}

TEST(Isolation, IsConsistentWhenAllNameTheSameCpus) {
  EXPECT_THAT(isolation_of("isolcpus=managed_irq,domain,2-3 nohz_full=2-3 irqaffinity=0-1"),
              IsEmpty());
}

TEST(Isolation, NamesWhatIsolcpusAloneLeavesOut) {
  EXPECT_THAT(isolation_of("isolcpus=2-3"), ElementsAre("tick_on_isolated", "callbacks_on_isolated",
                                                        "domain_only", "irqs_on_isolated"));
}

TEST(Isolation, ComparesTheListsCpuByCpu) {
  SystemView view;
  view.cmdline = cmdline_of("isolcpus=1-3 nohz_full=2-4 irqaffinity=0-1");
  const Observations facts = isolation_facts(view);

  ASSERT_THAT(facts.at("isolation"), SizeIs(4));
  EXPECT_EQ(facts.at("isolation")[0].said, "CPU 1: isolcpus=1-3 nohz_full=2-4");
  EXPECT_EQ(facts.at("isolation")[1].said, "CPU 4: isolcpus=1-3 nohz_full=2-4");
  EXPECT_EQ(facts.at("isolation")[2].value, "callbacks_on_isolated");
  EXPECT_EQ(facts.at("isolation")[3].said, "CPU 1: isolcpus=1-3 irqaffinity=0-1");
}

TEST(Isolation, IsUnknownForAListThatNeedsTheMachine) {
  SystemView view;
  view.cmdline = cmdline_of("isolcpus=1-N");

  EXPECT_FALSE(isolation_facts(view).contains("isolation"));
}

}  // namespace
}  // namespace rtsweep
