// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <string>
#include <vector>

namespace rtsweep::testing {

// An entry as an attacker would write it.
struct HostileEntry {
  std::string name;
  std::string content;
  unsigned type = AE_IFREG;
  std::string link;       // target of a symbolic link
  std::string hard_link;  // target of a hard link
  int64_t claimed = -1;   // size in the header, where it is not the content's
};

inline la_ssize_t append_bytes(archive* /*writer*/, void* to, const void* data, size_t size) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

// tar in zstd, of anything.
inline std::string hostile_archive(const std::vector<HostileEntry>& entries) {
  std::string packed;
  archive* writer = archive_write_new();
  archive_write_set_format_gnutar(writer);
  archive_write_add_filter_zstd(writer);
  archive_write_set_bytes_in_last_block(writer, 1);
  archive_write_open(writer, &packed, nullptr, append_bytes, nullptr);
  for (const HostileEntry& one : entries) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, one.name.c_str());
    archive_entry_set_filetype(entry, one.type);
    archive_entry_set_perm(entry, 0644);
    if (!one.link.empty()) archive_entry_set_symlink(entry, one.link.c_str());
    if (!one.hard_link.empty()) archive_entry_set_hardlink(entry, one.hard_link.c_str());
    const auto size = static_cast<int64_t>(one.content.size());
    archive_entry_set_size(entry, one.type == AE_IFREG ? std::max(one.claimed, size) : 0);
    archive_write_header(writer, entry);
    if (one.type == AE_IFREG) archive_write_data(writer, one.content.data(), one.content.size());
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
  return packed;
}

}  // namespace rtsweep::testing
