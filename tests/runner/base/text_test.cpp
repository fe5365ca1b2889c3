// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;
using ::testing::StrEq;

TEST(NearestWord, FindsTheWordWithTwoLettersSwapped) {
  const std::vector<std::string> words = {"kernel", "arch", "load"};

  EXPECT_THAT(nearest_word("kenrel", words), Optional(StrEq("kernel")));
}

TEST(NearestWord, IsEmptyWhenNothingIsNear) {
  const std::vector<std::string> words = {"kernel", "arch", "load"};

  EXPECT_EQ(nearest_word("priority", words), std::nullopt);
}

TEST(ShellQuote, QuotesOnlyWhatAShellWouldChange) {
  const std::vector<std::string> argv = {"qemu", "-append", "console=ttyS0 quiet", "it's"};

  EXPECT_EQ(shell_quote(argv), R"(qemu -append 'console=ttyS0 quiet' 'it'\''s')");
}

TEST(Words, SkipRunsOfBlanks) { EXPECT_THAT(words("  a\t b\n"), ElementsAre("a", "b")); }

}  // namespace
}  // namespace rtsweep
