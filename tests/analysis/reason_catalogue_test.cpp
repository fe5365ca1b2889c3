// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/reason_catalogue.h"

#include <gmock/gmock.h>

#include <set>

#include "runner/base/text.h"
#include "tests/analysis/cyclictest_files.h"

namespace rtsweep {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

std::vector<std::string> codes() {
  std::vector<std::string> all;
  for (const ReasonEntry& entry : reason_catalogue()) all.emplace_back(entry.code);
  return all;
}

// "### kernel_panic"
std::vector<std::string> headings() {
  const auto guide = std::filesystem::path(RTSWEEP_SOURCE_DIR) / "docs/reducing-variance.md";
  std::vector<std::string> all;
  for (const std::string& line : split(testing::text_of(guide), '\n')) {
    if (line.starts_with("### ")) all.push_back(line.substr(4));
  }
  return all;
}

TEST(ReasonCatalogue, IsExactlyWhatTheGuideExplains) {
  EXPECT_THAT(headings(), ::testing::UnorderedElementsAreArray(codes()));
}

TEST(ReasonCatalogue, HasEachCodeOnceAndSpelledForScripts) {
  const std::vector<std::string> all = codes();

  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
  EXPECT_THAT(all, Each(MatchesRegex("[a-z][a-z_]*[a-z]")));
}

TEST(ReasonCatalogue, IsSortedByWhatAReasonDoesToAVerdict) {
  for (size_t i = 1; i < reason_catalogue().size(); ++i) {
    EXPECT_GE(reason_catalogue()[i - 1].severity, reason_catalogue()[i].severity) << codes()[i];
  }
}

TEST(MakeReason, SaysWhatHappenedAndWhatToDo) {
  const Reason reason = make_reason("wrong_kernel", "kernel 6.1.0 ran instead of 6.12.9-rt");

  EXPECT_EQ(reason.severity, Severity::kInvalid);
  EXPECT_EQ(reason.text,
            "kernel 6.1.0 ran instead of 6.12.9-rt; check the boot loader's entry and that the "
            "kernel was installed.");
}

TEST(FindReason, DoesNotKnowOtherCodes) { EXPECT_EQ(find_reason("nonsense"), nullptr); }

}  // namespace
}  // namespace rtsweep
