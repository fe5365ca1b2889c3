// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "runner/base/result.h"

namespace rtsweep {

// A file's content without copying it, for the hundreds of megabytes of a userland.
// The file must not be cut short while this lives.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& file);

  MappedFile(MappedFile&& other) noexcept : content_(std::exchange(other.content_, {})) {}
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view content() const { return content_; }

 private:
  explicit MappedFile(std::string_view content) : content_(content) {}

  std::string_view content_;
};

}  // namespace rtsweep
