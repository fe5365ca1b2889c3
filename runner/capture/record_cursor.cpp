// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/record_cursor.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runner/base/bytes.h"

namespace rtsweep {
namespace {

constexpr uint64_t kCommitMask = (1U << 27) - 1;  // RB_MISSED_* stand above it
constexpr uint64_t kMissedEvents = uint64_t{1} << 31;
constexpr uint64_t kMissedStored = uint64_t{1} << 30;

// ring_buffer_type of include/linux/ring_buffer.h.
constexpr uint32_t kPadding = 29;
constexpr uint32_t kTimeExtend = 30;
constexpr uint32_t kTimeStamp = 31;
constexpr unsigned kDeltaBits = 27;
constexpr uint64_t kStampMask = (uint64_t{1} << 59) - 1;  // 5 bits are lost in a stamp

}  // namespace

RecordCursor::RecordCursor(std::string_view page, const PageFields& fields)
    : time_(number_at(page, 0, 8, fields.big_endian)), big_endian_(fields.big_endian) {
  const uint64_t commit =
      number_at(page, fields.commit_offset, fields.commit_size, fields.big_endian);
  const uint64_t size = commit & kCommitMask;
  if (fields.data_offset > page.size()) return;
  data_ = page.substr(fields.data_offset);
  if ((commit & kMissedEvents) != 0) {
    const bool stored = (commit & kMissedStored) != 0 && size + fields.commit_size <= data_.size();
    missed_ = stored
                  ? static_cast<int64_t>(
                        number_at(data_, size, fields.commit_size, fields.big_endian) & INT64_MAX)
                  : -1;
  }
  data_ = data_.substr(0, std::min<size_t>(size, data_.size()));
}

inline uint32_t RecordCursor::word(size_t offset) const {
  uint32_t value = 0;
  std::memcpy(&value, data_.data() + offset, sizeof(value));
  if (big_endian_ != (std::endian::native == std::endian::big)) value = __builtin_bswap32(value);
  return value;
}

bool RecordCursor::next(RawRecord& record) {
  bool is_event = false;
  while (step(record, is_event)) {
    if (is_event) return true;
  }
  return false;
}

// One entry: `type_len` and `time_delta` share a word, from the low end on little endian.
bool RecordCursor::step(RawRecord& record, bool& is_event) {
  const size_t left = data_.size() - at_;
  if (left < 4) return false;
  const uint32_t head = word(at_);
  const uint32_t type = big_endian_ ? head >> kDeltaBits : head & 31;
  const uint64_t delta = big_endian_ ? head & ((1U << kDeltaBits) - 1) : head >> 5;
  is_event = type < kPadding;
  size_t length = 4 + size_t{type} * 4;
  if (!is_event || type == 0) {
    if (type == kPadding && delta == 0) return false;  // the rest is empty
    if (left < 8) return false;
    const uint32_t first = word(at_ + 4);
    length = type >= kTimeExtend ? 8 : size_t{4} + ((size_t{first} + 3) & ~size_t{3});
    if (length < 8 || length > left) return false;
    if (type == kTimeStamp) {
      const uint64_t stamp = (uint64_t{first} << kDeltaBits) + delta;
      time_ = stamp | (time_ & ~kStampMask);
    } else {
      time_ += delta + (type == kTimeExtend ? uint64_t{first} << kDeltaBits : 0);
    }
    record.data = data_.substr(at_ + 8, length - 8);
  } else {
    if (length > left) return false;
    time_ += delta;
    record.data = data_.substr(at_ + 4, length - 4);
  }
  record.time = time_;
  at_ += length;
  return true;
}

}  // namespace rtsweep
