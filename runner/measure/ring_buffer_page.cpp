// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/ring_buffer_page.h"

#include <charconv>
#include <cstring>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

// enum ring_buffer_type of include/linux/ring_buffer.h; up to 28 it is a length in words.
constexpr uint32_t kPadding = 29;
constexpr uint32_t kTimeExtend = 30;
constexpr uint32_t kTimeStamp = 31;
constexpr int kDeltaBits = 27;
constexpr uint64_t kLengthMask = (1u << kDeltaBits) - 1;

template <typename T>
T load(std::string_view bytes, size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

size_t number_after(std::string_view line, std::string_view key) {
  size_t value = 0;
  const size_t at = line.find(key);
  if (at == std::string_view::npos) return 0;
  const char* begin = line.data() + at + key.size();
  std::from_chars(begin, line.data() + line.size(), value);
  return value;
}

// "\tfield:u64 timer_latency;\toffset:16;\tsize:8;\tsigned:0;" is timer_latency.
std::string_view field_name(std::string_view line) {
  const size_t end = line.find(';');
  if (line.find("field:") == std::string_view::npos || end == std::string_view::npos) return {};
  const std::string_view declaration = line.substr(0, end);
  return declaration.substr(declaration.find_last_of(" *") + 1);
}

// Walks the records of one page.
class Walker {
 public:
  Walker(std::string_view records, uint64_t time_ns) : records_(records), time_ns_(time_ns) {}

  // The next record; none at the end and, with problem() set, where the page is damaged.
  bool next(RingRecord& record) {
    while (at_ + 4 <= records_.size()) {
      const auto head = load<uint32_t>(records_, at_);
      const uint32_t type = head & 0x1f;
      const uint64_t delta = head >> 5;
      if (type == kPadding && delta == 0) return false;  // nothing follows on this page
      if (type == kTimeExtend || type == kTimeStamp) {
        if (!read_time(type, delta)) return false;
        continue;
      }
      time_ns_ += delta;
      if (!read_data(type, record)) return false;
      if (type != kPadding) return true;
    }
    return false;
  }

  bool damaged() const { return damaged_; }

 private:
  bool damage() {
    damaged_ = true;
    return false;
  }

  bool read_time(uint32_t type, uint64_t delta) {
    if (at_ + 8 > records_.size()) return damage();
    const uint64_t value = (uint64_t{load<uint32_t>(records_, at_ + 4)} << kDeltaBits) + delta;
    time_ns_ = type == kTimeExtend ? time_ns_ + value : value;
    at_ += 8;
    return true;
  }

  // A type of 0, and padding, have their length in a word of its own, which counts itself.
  bool read_data(uint32_t type, RingRecord& record) {
    const bool has_length = type == 0 || type == kPadding;
    if (has_length && at_ + 8 > records_.size()) return damage();
    const size_t length = has_length ? load<uint32_t>(records_, at_ + 4) : type * 4;
    if (length == 0 || length > records_.size() - at_ - 4) return damage();
    const size_t head = has_length ? 8 : 4;
    if (4 + length < head) return damage();
    record = {.time_ns = time_ns_, .data = records_.substr(at_ + head, 4 + length - head)};
    at_ += 4 + (length + 3) / 4 * 4;
    return true;
  }

  std::string_view records_;
  uint64_t time_ns_;
  size_t at_ = 0;
  bool damaged_ = false;
};

}  // namespace

Result<RecordFormat> parse_record_format(std::string_view text) {
  RecordFormat format;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("ID:")) format.id = static_cast<uint16_t>(number_after(line, "ID: "));
    const std::string_view name = field_name(line);
    if (name.empty()) continue;
    format.fields[std::string(name)] = {.offset = number_after(line, "offset:"),
                                        .size = number_after(line, "size:"),
                                        .is_signed = number_after(line, "signed:") != 0};
  }
  if (format.id == 0) return Error(Errc::kBadData, "an event's format without its ID");
  return format;
}

int64_t RingRecord::value(const RecordField& field) const {
  if (field.offset > data.size() || field.size > data.size() - field.offset) return 0;
  const size_t at = field.offset;
  switch (field.size) {
    case 1:
      return field.is_signed ? load<int8_t>(data, at) : load<uint8_t>(data, at);
    case 2:
      return field.is_signed ? load<int16_t>(data, at) : load<uint16_t>(data, at);
    case 4:
      return field.is_signed ? load<int32_t>(data, at) : int64_t{load<uint32_t>(data, at)};
    case 8:
      return load<int64_t>(data, at);
    default:
      return 0;
  }
}

Result<void> for_each_record(std::string_view page, size_t word, uint16_t id,
                             const std::function<void(const RingRecord&)>& each) {
  const size_t head = 8 + word;
  if (page.size() < head) return Error(Errc::kBadData, "a page of the ring buffer is cut off");
  const size_t length = load<uint32_t>(page, 8) & kLengthMask;
  if (length > page.size() - head) {
    return Error(Errc::kBadData, "a page of the ring buffer says that it is longer than it is");
  }
  Walker walker(page.substr(head, length), load<uint64_t>(page, 0));
  RingRecord record;
  while (walker.next(record)) {
    if (record.data.size() >= 2 && load<uint16_t>(record.data, 0) == id) each(record);
  }
  if (walker.damaged()) return Error(Errc::kBadData, "a page of the ring buffer is damaged");
  return {};
}

}  // namespace rtsweep
