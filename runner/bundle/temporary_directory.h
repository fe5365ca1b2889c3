// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "runner/base/result.h"

namespace rtsweep {

// A directory that only this user may enter and that goes away with the object.
class TemporaryDirectory {
 public:
  static Result<TemporaryDirectory> make() {
    std::string name = (std::filesystem::temp_directory_path() / "rtsweep-bundle-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return Error::from_errno("create " + name, errno);
    return TemporaryDirectory(name);
  }

  TemporaryDirectory(TemporaryDirectory&& other) noexcept
      : path_(std::exchange(other.path_, std::filesystem::path())) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace rtsweep
