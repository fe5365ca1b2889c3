// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/record.h"

#include <fmt/format.h>

namespace rtsweep {
namespace {

constexpr std::string_view kMagic = "RTSPATH1";
constexpr size_t kEntryBytes = 32;

uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

PathEvent event(std::string_view entry) {
  return {.icount = little_endian(entry.substr(0, 8)),
          .idle_ns = static_cast<int64_t>(little_endian(entry.substr(8, 8))),
          .value = little_endian(entry.substr(16, 8)),
          .kind = static_cast<PathEvent::Kind>(little_endian(entry.substr(24, 4))),
          .insns = static_cast<uint32_t>(little_endian(entry.substr(28, 4)))};
}

}  // namespace

Result<std::vector<PathEvent>> parse_path_record(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) {
    return Error(Errc::kBadData, "path record: does not begin with RTSPATH1");
  }
  bytes.remove_prefix(kMagic.size());
  if (bytes.size() % kEntryBytes != 0) {
    return Error(Errc::kBadData, "path record: cut off within an entry");
  }
  std::vector<PathEvent> events;
  events.reserve(bytes.size() / kEntryBytes);
  for (; !bytes.empty(); bytes.remove_prefix(kEntryBytes)) {
    events.push_back(event(bytes.substr(0, kEntryBytes)));
    const PathEvent& last = events.back();
    if (last.kind < PathEvent::Kind::kMark || last.kind > PathEvent::Kind::kEnd) {
      return Error(Errc::kBadData, fmt::format("path record: entry {} is of the unknown kind {}",
                                               events.size(), static_cast<uint32_t>(last.kind)));
    }
  }
  if (events.empty() || events.back().kind != PathEvent::Kind::kEnd) {
    return Error(Errc::kBadData, "path record: the emulator died before its end");
  }
  return events;
}

}  // namespace rtsweep
