// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/unpack.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <memory>

namespace rtsweep {
namespace {

struct ReadCloser {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, ReadCloser>;

Error damaged(const Reader& reader) {
  const char* why = archive_error_string(reader.get());
  return Error(Errc::kBadData, std::string("decompress: ") + (why == nullptr ? "damaged" : why));
}

// Appends what can be unpacked, and says whether that was all of it.
Result<void> unpack_into(std::string& unpacked, std::string_view data, size_t limit) {
  const Reader reader(archive_read_new());
  archive_read_support_filter_all(reader.get());
  archive_read_support_format_raw(reader.get());
  archive_entry* entry = nullptr;
  if (archive_read_open_memory(reader.get(), data.data(), data.size()) != ARCHIVE_OK ||
      archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK) {
    return damaged(reader);
  }
  std::array<char, 65536> piece{};
  while (unpacked.size() < limit) {
    const la_ssize_t got = archive_read_data(reader.get(), piece.data(), piece.size());
    if (got < 0) return damaged(reader);
    if (got == 0) break;
    unpacked.append(piece.data(), std::min(static_cast<size_t>(got), limit - unpacked.size()));
  }
  return {};
}

}  // namespace

Result<std::string> unpack(std::string_view data, size_t limit) {
  std::string unpacked;
  RTSWEEP_CHECK_OK(unpack_into(unpacked, data, limit));
  return unpacked;
}

std::string unpack_start(std::string_view data, size_t limit) {
  std::string unpacked;
  static_cast<void>(unpack_into(unpacked, data, limit));
  return unpacked;
}

}  // namespace rtsweep
