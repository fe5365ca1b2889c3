// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/base/files.h"

#include <gmock/gmock.h>

#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::FailsWith;
using testing::IsOkAnd;

TEST(ReadFile, GivesEveryByteOfALargeFile) {
  const std::string content = std::string(100'000, 'x') + '\0' + "end\n";
  testing::FakeHost host;
  host.file("large", content);

  EXPECT_THAT(read_file(host.root().path("large")), IsOkAnd(content));
}

TEST(ReadFile, SaysThatAFileIsMissingOrADirectory) {
  testing::FakeHost host;
  host.file("directory/file", "");

  EXPECT_THAT(read_file(host.root().path("none")), FailsWith(Errc::kIo, "No such file"));
  EXPECT_THAT(read_file(host.root().path("directory")), FailsWith(Errc::kIo, "Is a directory"));
}

}  // namespace
}  // namespace rtsweep
