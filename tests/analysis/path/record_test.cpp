// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/record.h"

#include <gmock/gmock.h>

namespace rtsweep {
namespace {

using ::testing::HasSubstr;
using Kind = PathEvent::Kind;

// An entry as the plugin writes it, byte by byte.
std::string entry(uint64_t icount, uint64_t idle, uint64_t value, uint32_t kind, uint32_t insns) {
  std::string bytes;
  for (const uint64_t number : {icount, idle, value, uint64_t{insns} << 32 | kind}) {
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift & 0xff);
  }
  return bytes;
}

TEST(PathRecord, ReadsWhatThePluginWrote) {
  const auto events = parse_path_record("RTSPATH1" + entry(7, 8, 0xffffffc008010000, 5, 12) +
                                        entry(19, 8, 0, 6, 0));

  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ(events->front(), (PathEvent{.icount = 7,
                                        .idle_ns = 8,
                                        .value = 0xffffffc008010000,
                                        .kind = Kind::kBlock,
                                        .insns = 12}));
}

TEST(PathRecord, RefusesOneWithoutItsEnd) {
  const auto events = parse_path_record("RTSPATH1" + entry(7, 8, 9, 5, 12));

  ASSERT_FALSE(events);
  EXPECT_THAT(events.error().message(), HasSubstr("died before its end"));
}

TEST(PathRecord, RefusesWhatIsNone) {
  EXPECT_FALSE(parse_path_record(""));
  EXPECT_FALSE(parse_path_record("RTSPATH1"));
  EXPECT_FALSE(parse_path_record("RTSPATH1" + entry(0, 0, 0, 6, 0).substr(1)));
  EXPECT_FALSE(parse_path_record("RTSPATH1" + entry(0, 0, 0, 7, 0)));
}

}  // namespace
}  // namespace rtsweep
