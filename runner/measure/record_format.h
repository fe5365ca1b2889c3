// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
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

  // 0 for a record that is too short. This machine's byte order: a buffer is read where it
  // was written.
  int64_t value_in(std::string_view record) const;

  bool operator==(const RecordField&) const = default;
};

// The layout of one kind of record, as events/*/*/format of tracefs tells it, by name.
struct RecordFormat {
  uint16_t id = 0;
  std::map<std::string, RecordField, std::less<>> fields;

  bool fits(std::string_view record) const;  // whether it is a record of this kind
};

// kBadData when there is no ID line. Lines that are no fields are left out.
Result<RecordFormat> parse_record_format(std::string_view text);

}  // namespace rtsweep
