// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"

namespace rtsweep {

// A variable's value; nothing when it is not set, or empty.
std::optional<std::string> environment(const char* name);

// Held as long as the object lives, against other processes and other threads.
// The kernel releases it when its holder dies.
class CacheLock {
 public:
  explicit CacheLock(UniqueFd fd) : fd_(std::move(fd)) {}

 private:
  UniqueFd fd_;
};

// The directory of what was fetched and made from it. Everything in it can be
// removed at any time and comes back at the cost of a download.
class Cache {
 public:
  // $RTSWEEP_CACHE, else $XDG_CACHE_HOME/rtsweep, else ~/.cache/rtsweep. Where it is, and
  // the same opened, which creates it.
  static Result<std::filesystem::path> place();
  static Result<Cache> open();
  static Result<Cache> open_at(const std::filesystem::path& directory);

  std::filesystem::path path(std::string_view relative) const { return directory_ / relative; }

  // Waits until nobody else holds the lock of that name ("archive").
  Result<CacheLock> lock(std::string_view name) const;

  using Make = std::function<Result<void>(const std::filesystem::path& directory)>;

  // A directory of the cache, made by `make` if it is not there yet: in a temporary
  // one, which is renamed when `make` succeeded, so that what has a name is complete.
  // Among runs at the same time, one makes it and the others wait.
  Result<std::filesystem::path> directory(std::string_view relative, const Make& make) const;

 private:
  explicit Cache(std::filesystem::path directory) : directory_(std::move(directory)) {}

  std::filesystem::path directory_;
};

}  // namespace rtsweep
