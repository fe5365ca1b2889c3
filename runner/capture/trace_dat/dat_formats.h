// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/capture/trace_dat/dat_container.h"

namespace rtsweep {

// A field's place in an event.
struct DatField {
  uint16_t offset = 0;
  uint16_t size = 0;  // 0: an array up to the event's end; not there in an empty field

  explicit operator bool() const { return size > 0; }
};

// The formats of a file by the events' numbers. Reads the lines of fields only; an
// expression `print fmt` is left to libtraceevent.
class DatFormats {
 public:
  explicit DatFormats(const DatContainer& container);

  // Empty for a number that the file does not describe.
  std::string_view name(uint16_t id) const;
  const DatFormat* format(uint16_t id) const;
  std::optional<uint16_t> id(std::string_view system, std::string_view name) const;
  // Of a fixed size; empty when the event has no such field.
  DatField field(uint16_t id, std::string_view field) const;

 private:
  struct Entry {
    const DatFormat* format = nullptr;
    std::string_view name;
  };

  std::vector<Entry> entries_;  // by the number
};

// Where the parts of every event are, that the kernel's ftrace_define_fields_common gives
// the same offsets in all of them: common_type, common_flags, common_preempt_count,
// common_pid (kernel/trace/trace_events.c).
struct CommonFields {
  DatField type{0, 2};
  DatField flags{2, 1};
  DatField preempt_count{3, 1};
  DatField pid{4, 4};
};

CommonFields common_fields(const DatFormats& formats, const DatContainer& container);

}  // namespace rtsweep
