// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runner/base/bytes.h"
#include "runner/base/result.h"
#include "runner/base/unique_fd.h"

namespace rtsweep {

// Reads the parts of a record one after the other. Past the end everything is empty or 0,
// and `failed` says so: the caller looks once, at the end.
class ByteCursor {
 public:
  ByteCursor(std::string_view bytes, bool big_endian) : rest_(bytes), big_endian_(big_endian) {}

  uint64_t number(size_t size);
  std::string_view take(uint64_t size);
  std::string_view text();  // up to the next 0 byte, which is left out
  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool big_endian_;
  bool failed_ = false;
};

// An open file that is read at offsets, never as a whole and never mapped: another
// process may cut it off meanwhile.
class DatBytes {
 public:
  static Result<DatBytes> open(const std::string& path);
  // `fd` stays open as long as this lives.
  static Result<DatBytes> from_fd(UniqueFd fd, std::string name);

  uint64_t size() const { return size_; }
  const std::string& name() const { return name_; }
  // Exactly `size` bytes; empty where the file ends before, or cannot be read.
  std::optional<std::string> read(uint64_t offset, uint64_t size) const;
  // As many as there are, into `to`.
  size_t read_into(uint64_t offset, char* to, size_t size) const;

 private:
  DatBytes(UniqueFd fd, uint64_t size, std::string name)
      : fd_(std::move(fd)), size_(size), name_(std::move(name)) {}

  UniqueFd fd_;
  uint64_t size_;
  std::string name_;
};

}  // namespace rtsweep
