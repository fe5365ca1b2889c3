// SPDX-License-Identifier: GPL-2.0-or-later

// The rules that are installed: each is complete, can speak and can keep quiet.

#include <gmock/gmock.h>

#include "analysis/trial_check_parts.h"
#include "tests/analysis/rt_rules_support.h"

namespace rtsweep {
namespace {

using ::testing::AnyOf;
using testing::cmdline_of;
using testing::codes_of;
using testing::config_of;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::rt_rules;
using ::testing::StartsWith;
using testing::unknown_codes_of;

SystemView view_of(const RuleExample& example) {
  SystemView view;
  if (!example.config.empty()) {
    view.config = config_of(example.config, example.config_kind.value_or(ConfigKind::kFull));
  }
  if (example.cmdline) view.cmdline = cmdline_of(*example.cmdline);
  if (example.log) {
    const bool banner = example.log->find("Linux version") != std::string::npos;
    view.log = (banner ? "" : "[    0.000000] Linux version 6.12.9\n") + *example.log + "\n";
  }
  for (const auto& [name, values] : example.facts) {
    auto& list = view.observed[name];
    for (const std::string& value : values) list.push_back({value, name + " " + value, "", 0});
  }
  view.arch = example.arch;
  view.kernel_version = example.kernel;
  return view;
}

TEST(RuleTable, HasMoreThanAHundredRules) { EXPECT_GE(rt_rules().rules.size(), 100u); }

// docs/checking-a-machine.md shows a rule; it is one of the table's.
TEST(RuleTable, HasTheRuleThatTheGuideShows) {
  const auto root = std::filesystem::path(RTSWEEP_SOURCE_DIR);
  const auto guide = read_file(root / "docs/checking-a-machine.md");
  const auto table = read_file(root / "kernel-configs/rt-rules.toml");
  ASSERT_TRUE(guide && table);
  const size_t begin = guide->find("```toml\n") + 8;
  const std::string shown = guide->substr(begin, guide->find("```", begin) - begin);

  EXPECT_THAT(*table, ::testing::HasSubstr(shown));
}

class EachRule : public ::testing::TestWithParam<size_t> {
 protected:
  const RtRule& rule() const { return rt_rules().rules[GetParam()]; }
};

TEST_P(EachRule, SaysWhatWhyHowAndWhere) {
  EXPECT_THAT(rule().text,
              AnyOf(::testing::EndsWith("."), ::testing::EndsWith(":"), ::testing::EndsWith(".)")));
  EXPECT_THAT(rule().why, Not(IsEmpty()));
  EXPECT_THAT(rule().fix, Not(IsEmpty()));
  EXPECT_THAT(rule().source, StartsWith("https://"));
  EXPECT_EQ(rule().code.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
            std::string::npos);
}

TEST_P(EachRule, SpeaksOnItsExample) {
  const CheckResult result = check_system(rt_rules(), completed(view_of(rule().fires)));

  EXPECT_THAT(codes_of(result), Contains(rule().code));
}

// Quiet for a reason: judged, not unknown.
TEST_P(EachRule, KeepsQuietOnItsCounterExample) {
  const CheckResult result = check_system(rt_rules(), completed(view_of(rule().silent)));

  EXPECT_THAT(codes_of(result), Not(Contains(rule().code)));
  EXPECT_THAT(unknown_codes_of(result), Not(Contains(rule().code)));
}

TEST_P(EachRule, IsUnknownOrQuietWhenNothingIsKnown) {
  const CheckResult result = check_system(rt_rules(), completed({}));

  EXPECT_THAT(unknown_codes_of(result), Contains(rule().code));
  EXPECT_THAT(codes_of(result), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(RtRules, EachRule, ::testing::Range<size_t>(0, rt_rules().rules.size()),
                         [](const auto& param_info) {
                           return rt_rules().rules[param_info.param].code;
                         });

// What makes a trial INVALID is found before the run as well.
TEST(RuleTable, SpeaksOfEveryOptionThatMakesADebugKernel) {
  const CheckResult clean = check_system(
      rt_rules(), completed(view_of({.config = "CONFIG_PREEMPT_RT=y\nCONFIG_TRACING=y\n"})));
  for (const std::string_view option : checks::debug_options()) {
    const CheckResult result = check_system(
        rt_rules(), completed(view_of({.config = "CONFIG_PREEMPT_RT=y\nCONFIG_TRACING=y\nCONFIG_" +
                                                 std::string(option) + "=y\n"})));
    const size_t more = result.count(Severity::kInvalid) + result.count(Severity::kWarning);
    EXPECT_GT(more, clean.count(Severity::kInvalid) + clean.count(Severity::kWarning)) << option;
  }
}

}  // namespace
}  // namespace rtsweep
