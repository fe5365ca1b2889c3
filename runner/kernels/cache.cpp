// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/cache.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "runner/base/files.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

// "kernels/arm64/6.1" as the name of one file.
std::string flat(std::string_view name) {
  std::string file(name);
  std::ranges::replace(file, '/', '_');
  return file;
}

// A directory that goes when nobody took it over.
class ScopedDirectory {
 public:
  // An old one of that name was left behind by a run that was killed.
  static Result<ScopedDirectory> create(const fs::path& path) {
    std::error_code ec;
    fs::remove_all(path, ec);
    RTSWEEP_CHECK_OK(make_directories(path));
    return ScopedDirectory(path);
  }

  ScopedDirectory(ScopedDirectory&& other) noexcept { std::swap(path_, other.path_); }
  ScopedDirectory(const ScopedDirectory&) = delete;
  ScopedDirectory& operator=(const ScopedDirectory&) = delete;
  ~ScopedDirectory() {
    std::error_code ec;
    if (!path_.empty()) fs::remove_all(path_, ec);
  }

  const fs::path& path() const { return path_; }

  Result<void> rename_to(const fs::path& target) {
    RTSWEEP_CHECK_OK(make_directories(target.parent_path()));
    if (::rename(path_.c_str(), target.c_str()) != 0) {
      return Error::from_errno("rename to " + target.string(), errno);
    }
    path_.clear();
    return sync_directory(target.parent_path());
  }

 private:
  explicit ScopedDirectory(fs::path path) : path_(std::move(path)) {}

  fs::path path_;
};

}  // namespace

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets it
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Result<fs::path> Cache::place() {
  if (const auto given = environment("RTSWEEP_CACHE")) return fs::path(*given);
  if (const auto xdg = environment("XDG_CACHE_HOME")) return fs::path(*xdg) / "rtsweep";
  if (const auto home = environment("HOME")) return fs::path(*home) / ".cache/rtsweep";
  return Error(Errc::kNotSupported, "no place for the cache: set RTSWEEP_CACHE or HOME");
}

Result<Cache> Cache::open() {
  RTSWEEP_TRY(const fs::path directory, place());
  return open_at(directory);
}

Result<Cache> Cache::open_at(const fs::path& directory) {
  std::error_code ec;
  const fs::path absolute = fs::absolute(directory, ec);
  RTSWEEP_CHECK_OK(make_directories(absolute / "locks"));
  return Cache(absolute);
}

Result<CacheLock> Cache::lock(std::string_view name) const {
  const fs::path lock_file = path("locks") / flat(name);
  UniqueFd fd(::open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd) return Error::from_errno("open " + lock_file.string(), errno);
  while (::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return Error::from_errno("lock " + lock_file.string(), errno);
  }
  return CacheLock(std::move(fd));
}

Result<fs::path> Cache::directory(std::string_view relative, const Make& make) const {
  const fs::path wanted = path(relative);
  std::error_code ec;
  if (fs::is_directory(wanted, ec)) return wanted;
  RTSWEEP_TRY(const CacheLock held, lock(relative));
  if (fs::is_directory(wanted, ec)) return wanted;  // somebody made it while we waited
  RTSWEEP_TRY(ScopedDirectory part, ScopedDirectory::create(path("parts") / flat(relative)));
  RTSWEEP_CHECK_OK(make(part.path()));
  RTSWEEP_CHECK_OK(part.rename_to(wanted));
  return wanted;
}

}  // namespace rtsweep
