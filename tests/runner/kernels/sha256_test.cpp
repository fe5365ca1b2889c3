// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/sha256.h"

#include "tests/runner/kernels/temporary_directory.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::FailsWith;
using testing::IsOkAnd;
using ::testing::StrEq;

// FIPS 180-2, appendix B.1 and B.3.
TEST(Sha256, IsThatOfTheStandardsExamples) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// 3,000,000 bytes is more than one piece; the value is what sha256sum prints for
// `head -c 3000000 /dev/zero`.
TEST(Sha256, OfALargeFileIsReadInPieces) {
  testing::TemporaryDirectory directory;
  const auto file = directory.file("zeros", std::string(3'000'000, '\0'));

  EXPECT_THAT(sha256_of_file(file),
              IsOkAnd(StrEq("35bce4eae54ec8e6cc2868baa8d157914d6ae2858811b4cc0c078c94460fa26f")));
}

TEST(Sha256, OfAMissingFileNamesIt) {
  EXPECT_THAT(sha256_of_file("/nonexistent/file"), FailsWith(Errc::kIo, "/nonexistent/file"));
}

}  // namespace
}  // namespace rtsweep
