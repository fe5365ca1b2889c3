// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/frames.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Frames, CarryTheChecksumThatCrc32PrintsElsewhere) {
  // CRC-32/ISO-HDLC of "123456789" is cbf43926: the check value of the CRC catalogue.
  EXPECT_THAT(encode_frame("a.txt", "123456789"), StartsWith("RTSWEEP2 a.txt 9 cbf43926 "));
}

TEST(Frames, OfALongHistogramAreShort) {
  std::string rows;
  for (int us = 0; us < 20'000; ++us) rows += fmt::format("{:06d} 000000\n", us);
  EXPECT_LT(encode_frame("cyclictest.txt", rows).size(), rows.size() / 4);
}

TEST(Frames, ComeBackAsTheyWere) {
  const std::string binary("\0\n\r\xff RTSWEEP2 x 1 0\n", 21);
  const std::string stream = encode_frame("a.json", binary) + encode_frame("empty", "");

  const Frames found = decode_frames(stream);

  EXPECT_THAT(found.frames, ElementsAre(Frame{"a.json", binary}, Frame{"empty", ""}));
  EXPECT_FALSE(found.torn);
}

TEST(Frames, BeforeATornOneCountWhereverItWasCut) {
  const std::string first = encode_frame("a.json", "{}");
  const std::string second = encode_frame("b.json", "[1, 2]");
  for (size_t cut = 1; cut < second.size(); ++cut) {
    const Frames found = decode_frames(first + second.substr(0, cut));

    EXPECT_THAT(found.frames, ElementsAre(Frame{"a.json", "{}"})) << cut;
    EXPECT_TRUE(found.torn) << cut;
    EXPECT_THAT(found.problem, IsEmpty()) << cut;
  }
}

TEST(Frames, AreNotReadPastADamagedOne) {
  std::string stream = encode_frame("a.json", "{}") + encode_frame("b.json", "{}");
  stream[stream.find('\n') + 4] ^= 1;  // behind zlib's two bytes of header

  const Frames found = decode_frames(stream);

  EXPECT_THAT(found.frames, IsEmpty());
  EXPECT_THAT(found.problem, HasSubstr("'a.json' is damaged"));
}

TEST(Frames, NeverNameAFileOutsideTheTrial) {
  for (const char* name : {"../evil", "/etc/passwd", ".hidden", "a/b"}) {
    const Frames found = decode_frames(encode_frame(name, "x"));

    EXPECT_THAT(found.frames, IsEmpty()) << name;
    EXPECT_THAT(found.problem, HasSubstr("not a frame")) << name;
  }
}

}  // namespace
}  // namespace rtsweep
