// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/ring_buffer_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::IsOk;

// A page as include/linux/ring_buffer.h describes it, of a kernel with 64-bit words.
class Page {
 public:
  explicit Page(uint64_t time_ns) : time_ns_(time_ns) {}

  Page& word(uint32_t value) {
    records_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  // type_len in the low 5 bits, the rest is the distance in time.
  Page& head(uint32_t type, uint32_t delta) { return word(delta << 5 | type); }

  std::string text() const {
    std::string page(16, '\0');
    const uint64_t commit = records_.size();
    std::memcpy(page.data(), &time_ns_, 8);
    std::memcpy(page.data() + 8, &commit, 8);
    page += records_;
    page.resize(4096);
    return page;
  }

 private:
  uint64_t time_ns_;
  std::string records_;
};

std::vector<std::pair<uint64_t, int64_t>> records_of(const std::string& page) {
  std::vector<std::pair<uint64_t, int64_t>> all;
  EXPECT_THAT(for_each_record(page, 8, 7,
                              [&](const RingRecord& record) {
                                all.emplace_back(record.time_ns,
                                                 record.value({.offset = 4, .size = 4}));
                              }),
              IsOk());
  return all;
}

TEST(RingBufferPage, GivesRecordsWithTheirTimeAndLeavesOutOtherKinds) {
  const Page page =
      Page(1000).head(2, 5).word(7).word(42).head(2, 10).word(8).word(1).head(2, 3).word(7).word(
          43);
  EXPECT_THAT(records_of(page.text()), ElementsAre(std::pair(1005, 42), std::pair(1018, 43)));
}

TEST(RingBufferPage, ExtendsAndSetsTheTime) {
  // 2^27 ns are what a delta cannot hold.
  const Page page = Page(0)
                        .head(30, 1)
                        .word(1)
                        .head(2, 0)
                        .word(7)
                        .word(1)
                        .head(31, 9)
                        .word(2)
                        .head(2, 1)
                        .word(7)
                        .word(2);
  EXPECT_THAT(records_of(page.text()),
              ElementsAre(std::pair((1u << 27) + 1, 1), std::pair((2u << 27) + 10, 2)));
}

TEST(RingBufferPage, ReadsLongRecordsAndSkipsDiscardedOnes) {
  // A length of 12 counts itself: 8 bytes of data.
  const Page page =
      Page(0).head(29, 4).word(12).word(7).word(99).head(0, 1).word(12).word(7).word(5);
  EXPECT_THAT(records_of(page.text()), ElementsAre(std::pair(5, 5)));
}

TEST(RingBufferPage, EndsAtThePaddingThatFillsAPage) {
  const Page page = Page(0).head(2, 1).word(7).word(1).head(29, 0).word(4000);
  EXPECT_THAT(records_of(page.text()), ElementsAre(std::pair(1, 1)));
}

TEST(RingBufferPage, RefusesPagesThatContradictThemselves) {
  const auto nothing = [](const RingRecord&) {};
  EXPECT_THAT(for_each_record("short", 8, 7, nothing), FailsWith(Errc::kBadData, ""));
  EXPECT_THAT(for_each_record(Page(0).head(20, 1).word(7).text(), 8, 7, nothing),
              FailsWith(Errc::kBadData, ""));
  std::string long_page = Page(0).text();
  long_page[9] = '\x20';  // 8,192 bytes follow, in a page of 4,096
  EXPECT_THAT(for_each_record(long_page, 8, 7, nothing), FailsWith(Errc::kBadData, ""));
}

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

}  // namespace
}  // namespace rtsweep
