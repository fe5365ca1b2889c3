// SPDX-License-Identifier: GPL-2.0-or-later

#include <set>

#include "tests/analysis/statistics/reference.h"

namespace rtsweep {
namespace {

std::string text_of_all_tests() {
  std::string text;
  const auto folder = std::filesystem::path(RTSWEEP_SOURCE_DIR) / "tests/analysis/statistics";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  return text;
}

TEST(StatisticsReference, EveryCaseHasATest) {
  if (testing::reference_cases().is_null()) {
    GTEST_SKIP() << "no reference values in " << RTSWEEP_STATS_REFERENCE_DIR;
  }
  const std::string tests = text_of_all_tests();
  std::set<std::string> ids;
  for (const auto& one : testing::reference_cases()) ids.insert(one["id"].get<std::string>());

  EXPECT_EQ(ids.size(), 48u);
  for (const std::string& id : ids) {
    EXPECT_NE(tests.find("\"" + id + "\""), std::string::npos) << id << " is not tested";
  }
}

}  // namespace
}  // namespace rtsweep
