// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <string_view>

namespace rtsweep {

// Where the parts of a ring buffer's page are: events/header_page of the kernel.
struct PageFields {
  size_t commit_offset = 8;
  size_t commit_size = 8;  // the size of the kernel's long
  size_t data_offset = 16;
  bool big_endian = false;
};

// One event as it stands in the buffer.
struct RawRecord {
  uint64_t time = 0;  // of the trace clock, before any conversion
  std::string_view data;
};

// The events of one page, in order. A damaged page ends early.
class RecordCursor {
 public:
  RecordCursor(std::string_view page, const PageFields& fields);

  bool next(RawRecord& record);
  // Events that were lost before this page's first: 0 none, -1 some, their number unknown.
  int64_t missed() const { return missed_; }

 private:
  bool step(RawRecord& record, bool& is_event);
  uint32_t word(size_t offset) const;

  std::string_view data_;
  size_t at_ = 0;
  uint64_t time_ = 0;
  int64_t missed_ = 0;
  bool big_endian_;
};

}  // namespace rtsweep
