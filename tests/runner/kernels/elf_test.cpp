// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/elf.h"

#include "runner/base/command.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::Not;

// "0x0000000000000001 (NEEDED)  Shared library: [libc.so.6]"
std::vector<std::string> needed_by_readelf(const std::string& file) {
  SystemCommands commands;
  std::vector<std::string> names;
  const auto output = commands.run({"readelf", "--wide", "--dynamic", file});
  if (!output) return names;
  for (const std::string& line : split(*output, '\n')) {
    if (line.find("(NEEDED)") == std::string::npos) continue;
    const size_t open = line.find('[');
    names.push_back(line.substr(open + 1, line.find(']') - open - 1));
  }
  return names;
}

class NeededLibraries : public ::testing::TestWithParam<const char*> {};

TEST_P(NeededLibraries, AreThoseThatReadelfNames) {
  const auto file = read_file(GetParam());
  if (!file) GTEST_SKIP() << "needs " << GetParam();
  const auto expected = needed_by_readelf(GetParam());
  ASSERT_THAT(expected, Not(IsEmpty()));

  EXPECT_EQ(needed_libraries(*file), expected);
}

INSTANTIATE_TEST_SUITE_P(OfThisMachine, NeededLibraries,
                         ::testing::Values("/usr/bin/dpkg-deb", "/usr/bin/env",
                                           "/usr/arm-linux-gnueabihf/lib/libm.so.6",
                                           "/usr/aarch64-linux-gnu/lib/libm.so.6",
                                           "/usr/i686-linux-gnu/lib/libm.so.6"));

TEST(NeededLibraries, AreNoneOfWhatIsNotElf) {
  EXPECT_THAT(needed_libraries(""), IsEmpty());
  EXPECT_THAT(needed_libraries("#!/bin/sh\n"), IsEmpty());
}

// Every cut and many flipped bytes: nothing may be read outside (seen by ASan).
TEST(NeededLibraries, OfADamagedFileAreSafeToAskFor) {
  const auto file = read_file("/usr/bin/env");
  ASSERT_THAT(file, IsOk());

  for (size_t size = 0; size < file->size(); size += 97) {
    needed_libraries(std::string_view(*file).substr(0, size));
  }
  for (size_t at = 4; at < 1024; ++at) {
    std::string damaged = *file;
    damaged[at] = static_cast<char>(0xff);
    needed_libraries(damaged);
  }
  EXPECT_TRUE(is_elf(*file));
}

}  // namespace
}  // namespace rtsweep
