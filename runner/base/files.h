// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"

namespace rtsweep {

// The whole file. For regular files; kernel files go through a HostRoot.
Result<std::string> read_file(const std::filesystem::path& path);

// Replaces the file so that a power cut leaves either the old content or the new
// one: written beside it, fsync'ed, renamed, and the directory fsync'ed.
Result<void> write_file_durably(const std::filesystem::path& path, std::string_view content);

// Writes all of it, going on after short writes. `name` is for the error only.
Result<void> write_all(int fd, std::string_view content, std::string_view name);

// Makes a created, renamed or removed entry of the directory permanent.
Result<void> sync_directory(const std::filesystem::path& directory);

// Creates the directory and its missing parents; fine when it exists.
Result<void> make_directories(const std::filesystem::path& directory);

// A file that only grows; each append is on disk (fdatasync) when it returns.
class AppendFile {
 public:
  // Opens or creates it. The directory entry is on disk when this returns.
  static Result<AppendFile> open(const std::filesystem::path& path);

  Result<void> append(std::string_view content);

 private:
  AppendFile(UniqueFd fd, std::filesystem::path path)
      : fd_(std::move(fd)), path_(std::move(path)) {}

  UniqueFd fd_;
  std::filesystem::path path_;
};

}  // namespace rtsweep
