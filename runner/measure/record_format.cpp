// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/record_format.h"

#include <bit>
#include <charconv>

#include "runner/base/bytes.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr bool kBigEndian = std::endian::native == std::endian::big;

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

}  // namespace

int64_t RecordField::value_in(std::string_view record) const {
  const uint64_t value = number_at(record, offset, size, kBigEndian);
  if (!is_signed || size == 0 || size >= sizeof value) return static_cast<int64_t>(value);
  const auto unused = static_cast<int>(64 - 8 * size);
  return static_cast<int64_t>(value << unused) >> unused;
}

// Each begins with its kind's ID: common_type.
bool RecordFormat::fits(std::string_view record) const {
  return record.size() >= sizeof id && number_at(record, 0, sizeof id, kBigEndian) == id;
}

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

}  // namespace rtsweep
