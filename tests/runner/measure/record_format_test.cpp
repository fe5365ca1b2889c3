// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/record_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::FailsWith;
using testing::IsOk;

TEST(RecordFormat, ReadsWhatTracefsSays) {
  // events/ftrace/timerlat/format of Linux 6.1.
  const auto format = parse_record_format(
      "name: timerlat\nID: 20\nformat:\n"
      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
      "\tfield:unsigned int seqnum;\toffset:8;\tsize:4;\tsigned:0;\n"
      "\tfield:int context;\toffset:12;\tsize:4;\tsigned:1;\n"
      "\tfield:u64 timer_latency;\toffset:16;\tsize:8;\tsigned:0;\n\n"
      "print fmt: \"seq:%u\\tcontext:%d\\ttimer_latency:%llu\\n\", REC->seqnum\n");
  ASSERT_THAT(format, IsOk());
  EXPECT_EQ(format->id, 20);
  EXPECT_EQ(format->fields.at("context"),
            (RecordField{.offset = 12, .size = 4, .is_signed = true}));
  EXPECT_EQ(format->fields.at("timer_latency"), (RecordField{.offset = 16, .size = 8}));
  EXPECT_THAT(parse_record_format("name: timerlat\n"), FailsWith(Errc::kBadData, ""));
}

TEST(RecordField, KeepsTheSignOfWhatHasOne) {
  const std::string record("\x14\x00\xfe\xff\xff\xff", 6);

  EXPECT_EQ((RecordField{.offset = 2, .size = 4, .is_signed = true}).value_in(record), -2);
  EXPECT_EQ((RecordField{.offset = 2, .size = 4}).value_in(record), 4'294'967'294);
  EXPECT_EQ((RecordField{.offset = 4, .size = 4}).value_in(record), 0);  // past the end
}

TEST(RecordFormat, KnowsRecordsOfItsKind) {
  const RecordFormat format{.id = 20, .fields = {}};

  EXPECT_TRUE(format.fits(std::string("\x14\x00\x01", 3)));
  EXPECT_FALSE(format.fits(std::string("\x15\x00\x01", 3)));
  EXPECT_FALSE(format.fits("\x14"));
}

}  // namespace
}  // namespace rtsweep
