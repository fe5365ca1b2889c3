// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/record_cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

// Each record's time, and the word behind its ID.
std::vector<std::pair<uint64_t, int>> records_of(const std::string& page) {
  std::vector<std::pair<uint64_t, int>> all;
  RecordCursor cursor(page, PageFields());
  RawRecord record;
  while (cursor.next(record)) {
    int value = 0;
    std::memcpy(&value, record.data.data() + 4, sizeof value);
    all.emplace_back(record.time, value);
  }
  return all;
}

TEST(RecordCursor, GivesRecordsWithTheirTime) {
  const Page page = Page(1000).head(2, 5).word(7).word(42).head(2, 13).word(7).word(43);
  EXPECT_THAT(records_of(page.text()), ElementsAre(std::pair(1005, 42), std::pair(1018, 43)));
}

TEST(RecordCursor, ExtendsAndSetsTheTime) {
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

TEST(RecordCursor, ReadsLongRecordsAndSkipsDiscardedOnes) {
  // A length of 12 counts itself: 8 bytes of data.
  const Page page =
      Page(0).head(29, 4).word(12).word(7).word(99).head(0, 1).word(12).word(7).word(5);
  EXPECT_THAT(records_of(page.text()), ElementsAre(std::pair(5, 5)));
}

TEST(RecordCursor, EndsAtThePaddingThatFillsAPage) {
  const Page page = Page(0).head(2, 1).word(7).word(1).head(29, 0).word(4000);
  EXPECT_THAT(records_of(page.text()), ElementsAre(std::pair(1, 1)));
}

TEST(RecordCursor, EndsWhereAPageContradictsItself) {
  EXPECT_THAT(records_of("short"), IsEmpty());
  // A record of 80 bytes in 8.
  EXPECT_THAT(records_of(Page(0).head(20, 1).word(7).text()), IsEmpty());
}

TEST(RecordCursor, SaysThatEventsWereLostBeforeThePage) {
  std::string page = Page(0).head(2, 1).word(7).word(5).text();
  EXPECT_EQ(RecordCursor(page, PageFields()).missed(), 0);
  page[11] = static_cast<char>(0x80);  // RB_MISSED_EVENTS, bit 31 of the bytes in use
  EXPECT_EQ(RecordCursor(page, PageFields()).missed(), -1);
}

}  // namespace
}  // namespace rtsweep
