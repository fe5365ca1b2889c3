// SPDX-License-Identifier: GPL-2.0-or-later

// How conditions are read and judged, and how the table is.

#include "analysis/rt_rules.h"

#include <gmock/gmock.h>

#include "analysis/kernel_arch.h"
#include "tests/analysis/rt_rules_support.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::cmdline_of;
using testing::codes_of;
using testing::config_of;
using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::rt_rules;
using ::testing::SizeIs;
using testing::unknown_codes_of;

Judgement judge(std::string_view condition, const SystemView& view) {
  const auto parsed = Condition::parse(condition);
  EXPECT_TRUE(parsed.has_value()) << parsed.error().message();
  return parsed ? parsed->judge(view, {.off = {"KASAN"}, .on = {"COMPACTION"}}) : Judgement();
}

SystemView with_config(std::string_view text, ConfigKind kind = ConfigKind::kFull) {
  SystemView view;
  view.config = config_of(text, kind);
  return view;
}

constexpr Truth kFalse = Truth::kFalse;
constexpr Truth kUnknown = Truth::kUnknown;
constexpr Truth kTrue = Truth::kTrue;

TEST(Condition, JoinsThreeTruthValuesAsKleeneDoes) {
  const SystemView view = with_config("CONFIG_A=y\nCONFIG_B=n\n", ConfigKind::kFragment);

  EXPECT_EQ(judge("CONFIG_A and CONFIG_X", view).truth, kUnknown);
  EXPECT_EQ(judge("CONFIG_B and CONFIG_X", view).truth, kFalse);
  EXPECT_EQ(judge("CONFIG_A or CONFIG_X", view).truth, kTrue);
  EXPECT_EQ(judge("CONFIG_B or CONFIG_X", view).truth, kUnknown);
  EXPECT_EQ(judge("not CONFIG_X", view).truth, kUnknown);
  EXPECT_EQ(judge("not CONFIG_B", view).truth, kTrue);
}

TEST(Condition, BindsAndBeforeOr) {
  const SystemView view = with_config("CONFIG_A=y\n");

  EXPECT_EQ(judge("CONFIG_A or CONFIG_A and CONFIG_B", view).truth, kTrue);
  EXPECT_EQ(judge("(CONFIG_A or CONFIG_A) and CONFIG_B", view).truth, kFalse);
}

TEST(Condition, TakesAnAbsentOptionByTheKindOfTheFile) {
  EXPECT_EQ(judge("CONFIG_KASAN", with_config("CONFIG_A=y")).truth, kFalse);
  EXPECT_EQ(judge("CONFIG_KASAN", with_config("CONFIG_A=y", ConfigKind::kDefconfig)).truth, kFalse);
  EXPECT_EQ(judge("CONFIG_COMPACTION", with_config("CONFIG_A=y", ConfigKind::kDefconfig)).truth,
            kTrue);
  EXPECT_EQ(judge("CONFIG_X", with_config("CONFIG_A=y", ConfigKind::kDefconfig)).truth, kUnknown);
  EXPECT_EQ(judge("CONFIG_KASAN", with_config("CONFIG_A=y", ConfigKind::kFragment)).truth,
            kUnknown);
}

TEST(Condition, TurnsWhatIsUnknownIntoAnAnswerWhereAsked) {
  const SystemView view;

  EXPECT_EQ(judge("cmdline.idle = poll", view).truth, kUnknown);
  EXPECT_EQ(judge("known(cmdline.idle = poll)", view).truth, kFalse);
  EXPECT_EQ(judge("surely(cmdline.idle = poll)", view).truth, kFalse);
  EXPECT_EQ(judge("not surely(cmdline.idle = poll)", view).truth, kTrue);
}

TEST(Condition, ComparesNumbersAsNumbersAndVersionsAsVersions) {
  SystemView view = with_config("CONFIG_HZ=1000\n");
  view.kernel_version = "6.12.9-rt5";

  EXPECT_EQ(judge("CONFIG_HZ > 250", view).truth, kTrue);
  EXPECT_EQ(judge("kernel >= 6.9", view).truth, kTrue);
  EXPECT_EQ(judge("kernel < 6.12.10", view).truth, kTrue);
  EXPECT_EQ(judge("kernel < 6.12", view).truth, kFalse);
}

TEST(Condition, AsksForOneWordOfACommaList) {
  SystemView view;
  view.cmdline = cmdline_of("efi=debug,noruntime");

  EXPECT_EQ(judge("cmdline.efi has noruntime", view).truth, kTrue);
  EXPECT_EQ(judge("cmdline.efi has runtime", view).truth, kFalse);
}

TEST(Condition, IsTrueOfAFactWhenItIsOfAnyOfItsObservations) {
  SystemView view;
  view.observed["governor"] = {{"performance", "CPU 0: performance", "", 0},
                               {"powersave", "CPU 1-3: powersave", "", 0}};
  view.observed["swap"];

  const Judgement judgement = judge("fact.governor != performance", view);
  EXPECT_EQ(judgement.truth, kTrue);
  ASSERT_THAT(judgement.evidence, SizeIs(1));
  EXPECT_EQ(judgement.evidence[0].text, "CPU 1-3: powersave");
  EXPECT_EQ(judge("fact.swap", view).truth, kFalse);
  EXPECT_EQ(judge("fact.smt = on", view).truth, kUnknown);
}

TEST(Condition, DoesNotTrustTheSilenceOfALogWithoutItsBeginning) {
  SystemView part;
  part.log = "[   50.000000] usb 1-1: new device\n";
  SystemView whole;
  whole.log = "[    0.000000] Linux version 6.12.9\n[   50.000000] usb 1-1: new device\n";

  EXPECT_EQ(judge("log \"RT throttling\"", part).truth, kUnknown);
  EXPECT_EQ(judge("log \"RT throttling\"", whole).truth, kFalse);
  EXPECT_EQ(judge("log \"usb * new\"", part).truth, kTrue);
}

TEST(Condition, SaysWhichPartsDecidedIt) {
  const SystemView view = with_config("CONFIG_A=y\nCONFIG_B=y\nCONFIG_C=n\n");

  const Judgement judgement = judge("(CONFIG_A or CONFIG_C) and CONFIG_B", view);
  ASSERT_THAT(judgement.evidence, SizeIs(2));
  EXPECT_EQ(judgement.evidence[0].text, "CONFIG_A=y");
  EXPECT_EQ(judgement.evidence[1].line, 2u);
}

TEST(Condition, NamesTheColumnOfWhatItCannotRead) {
  EXPECT_THAT(Condition::parse("CONFIG_A and"), FailsWith(Errc::kBadData, "column 13"));
  EXPECT_THAT(Condition::parse("(CONFIG_A"), FailsWith(Errc::kBadData, "')' expected"));
  EXPECT_THAT(Condition::parse("CONFIG_A CONFIG_B"), FailsWith(Errc::kBadData, "column 10"));
  EXPECT_THAT(Condition::parse("foo"), FailsWith(Errc::kBadData, "unknown subject: 'foo'"));
  EXPECT_THAT(Condition::parse("log \"x"), FailsWith(Errc::kBadData, "quote without its end"));
  EXPECT_THAT(Condition::parse(std::string(500, '(')), FailsWith(Errc::kBadData, "too deeply"));
}

std::string rule(const std::string& more) {
  return "[facts.machine]\nswap = \"swap\"\n[[rule]]\ncode = \"x\"\nseverity = \"note\"\n"
         "text = \"t\"\nwhy = \"w\"\nfix = \"f\"\nsource = \"s\"\n" +
         more;
}

TEST(RuleTableFormat, NamesFileAndLineOfAWrongRule) {
  EXPECT_THAT(parse_rt_rules(rule(""), "t.toml"),
              FailsWith(Errc::kBadData, "t.toml:3: rule without 'when'"));
  EXPECT_THAT(parse_rt_rules(rule("when = \"fact.swop\"\n"), "t.toml"),
              FailsWith(Errc::kBadData, "fact.swop is not in [facts]"));
  EXPECT_THAT(parse_rt_rules(rule("when = \"CONFIG_A\"\nwhom = 1\n"), "t.toml"),
              FailsWith(Errc::kBadData, "unknown key 'whom'"));
  EXPECT_THAT(parse_rt_rules(rule("when = \"and\"\n"), "t.toml"),
              FailsWith(Errc::kBadData, "x: when: column 1"));
  EXPECT_THAT(parse_rt_rules("[[rule", "t.toml"), FailsWith(Errc::kBadData, "t.toml:1"));
}

CheckResult check_one(const std::string& more, SystemView view) {
  static std::vector<RuleTable> tables;  // the result points into its table
  auto table = parse_rt_rules(rule("when = \"CONFIG_A\"\n" + more), "t.toml");
  EXPECT_TRUE(table.has_value());
  tables.reserve(100);
  tables.push_back(std::move(table).value());
  return check_system(tables.back(), completed(std::move(view)));
}

TEST(RuleScope, KeepsARuleToItsArchitecturesFlavoursAndVersions) {
  SystemView view = with_config("CONFIG_A=y\nCONFIG_PREEMPT_RT=y\n");
  view.arch = "x86_64";
  view.kernel_version = "6.12.9";

  EXPECT_THAT(codes_of(check_one("arch = \"x86\"\n", view)), ElementsAre("x"));
  EXPECT_THAT(codes_of(check_one("arch = [\"arm\", \"arm64\"]\n", view)), IsEmpty());
  EXPECT_THAT(codes_of(check_one("flavour = \"rt\"\n", view)), ElementsAre("x"));
  EXPECT_THAT(codes_of(check_one("flavour = \"cobalt\"\n", view)), IsEmpty());
  EXPECT_THAT(codes_of(check_one("since = \"6.12\"\nbefore = \"6.13\"\n", view)), ElementsAre("x"));
  EXPECT_THAT(codes_of(check_one("before = \"6.12\"\n", view)), IsEmpty());
}

TEST(RuleScope, IsUnknownWhereTheScopeIs) {
  const SystemView view = with_config("CONFIG_A=y\n");

  const CheckResult result = check_one("since = \"6.12\"\n", view);
  EXPECT_THAT(unknown_codes_of(result), ElementsAre("x"));
  EXPECT_THAT(result.unknown[0].missing, ElementsAre("kernel version"));
}

TEST(Check, BelievesTheRunningKernelBeforeTheConfig) {
  SystemView view = with_config("CONFIG_PREEMPT_RT=y\n");
  view.log = "[    0.000000] Linux version 6.1.0 (gcc) #1 SMP PREEMPT_DYNAMIC Debian\n";

  const CheckResult result = check_system(rt_rules(), completed(view));
  EXPECT_THAT(codes_of(result), ::testing::IsSupersetOf({"not_rt", "flavour_mismatch"}));
  EXPECT_TRUE(result.invalid());
}

TEST(Check, ReadsTheCommandLineThatTheLogQuotes) {
  SystemView view;
  view.log =
      "[    0.000000] Linux version 6.1.0 (gcc) #1 SMP PREEMPT_RT Debian\n"
      "[    0.000000] Kernel command line: idle=poll quiet\n";

  EXPECT_THAT(codes_of(check_system(rt_rules(), completed(view))),
              ::testing::Contains("idle_poll"));
}

TEST(KernelVersions, CompareNumberByNumber) {
  EXPECT_TRUE(compare_versions("6.9.1", "6.12") < 0);
  EXPECT_TRUE(compare_versions("6.12.1", "6.12") > 0);
  EXPECT_TRUE(compare_versions("6.12-rt5", "6.12") == 0);
}

TEST(Flavours, AreToldByUname) {
  EXPECT_EQ(flavour_of_version("#1 SMP PREEMPT_RT Debian 6.12.9"), KernelFlavour::kRt);
  EXPECT_EQ(flavour_of_version("#1 SMP PREEMPT RT Tue"), KernelFlavour::kRt);
  EXPECT_EQ(flavour_of_version("#0 PREEMPT_{RT,(full)}"), KernelFlavour::kRt);
  EXPECT_EQ(flavour_of_version("#1 SMP PREEMPT_DYNAMIC"), KernelFlavour::kPlain);
}

}  // namespace
}  // namespace rtsweep
