// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace rtsweep {

// Where a field lies in a record of the ring buffer.
struct RecordField {
  size_t offset = 0;
  size_t size = 0;
  bool is_signed = false;

  bool operator==(const RecordField&) const = default;
};

// The layout of one kind of record, as events/*/*/format of tracefs tells it, by name.
struct RecordFormat {
  uint16_t id = 0;
  std::map<std::string, RecordField, std::less<>> fields;
};

// kBadData when there is no ID line. Lines that are no fields are left out.
Result<RecordFormat> parse_record_format(std::string_view text);

// A record of the kind that was asked for.
struct RingRecord {
  uint64_t time_ns = 0;  // by the buffer's trace_clock
  std::string_view data;

  // 0 for a field that the record is too short for. This machine's byte order: a buffer is
  // read where it was written.
  int64_t value(const RecordField& field) const;
};

// Calls `each` for every record with the format's ID of one page, as per_cpu/cpuN/
// trace_pipe_raw gives it: a time stamp of 8 bytes, a word (of the kernel's size) of which
// the low 27 bits say how many bytes of records follow, and the records (see
// include/linux/ring_buffer.h: type_len of 5 bits, time_delta of 27).
//
// `word` is 4 or 8: the size of the word called commit in events/header_page. kBadData for a
// page that contradicts itself; the records before that place have been given.
Result<void> for_each_record(std::string_view page, size_t word, uint16_t id,
                             const std::function<void(const RingRecord&)>& each);

}  // namespace rtsweep
