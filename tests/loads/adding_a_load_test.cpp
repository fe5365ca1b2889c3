// SPDX-License-Identifier: GPL-2.0-or-later

// docs/adding-a-load.md quotes a load piece by piece: the pieces are the file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::rtsweep::testing::IsOk;

// Without empty lines: where the page cuts, it has none.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) {
    if (!trim(line).empty()) lines.push_back(line);
  }
  return lines;
}

// What stands between "```cpp" and "```", one block after the other.
std::vector<std::string> quoted_code(std::string_view page) {
  std::vector<std::string> code;
  bool inside = false;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("```")) {
      inside = line == "```cpp";
    } else if (inside) {
      code.push_back(line);
    }
  }
  return code;
}

TEST(AddingALoad, QuotesTheFileAsItIsBuilt) {
  const std::string source = RTSWEEP_SOURCE_DIR;
  const auto page = read_file(source + "/docs/adding-a-load.md");
  const auto file = read_file(source + "/loads/hackbench.cpp");
  ASSERT_THAT(page, IsOk());
  ASSERT_THAT(file, IsOk());

  EXPECT_EQ(quoted_code(*page), lines_of(*file));
}

}  // namespace
}  // namespace rtsweep
