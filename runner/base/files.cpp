// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/base/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace rtsweep {

namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& path) {
  // Not a stream: reading a directory as one throws.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return Error::from_errno("read " + path.string(), errno);
  std::string text;
  std::array<char, 65536> part;  // NOLINT: filled by read(2)
  for (;;) {
    const ssize_t size = ::read(fd.get(), part.data(), part.size());
    if (size == 0) return text;
    if (size > 0) text.append(part.data(), static_cast<size_t>(size));
    if (size < 0 && errno != EINTR) return Error::from_errno("read " + path.string(), errno);
  }
}

Result<void> write_all(int fd, std::string_view content, std::string_view name) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Error::from_errno("write " + std::string(name), errno);
    content.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Result<void> sync_directory(const fs::path& directory) {
  const fs::path target = directory.empty() ? fs::path(".") : directory;
  const UniqueFd fd(::open(target.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return Error::from_errno("open " + target.string(), errno);
  if (::fsync(fd.get()) != 0) return Error::from_errno("fsync " + target.string(), errno);
  return {};
}

Result<void> write_file_durably(const fs::path& path, std::string_view content) {
  const fs::path beside = path.string() + ".new";
  {
    const UniqueFd fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd) return Error::from_errno("create " + beside.string(), errno);
    RTSWEEP_CHECK_OK(write_all(fd.get(), content, beside.string()));
    if (::fsync(fd.get()) != 0) return Error::from_errno("fsync " + beside.string(), errno);
  }
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    return Error::from_errno("rename " + beside.string(), errno);
  }
  return sync_directory(path.parent_path());
}

Result<void> make_directories(const fs::path& directory) {
  std::error_code ec;
  fs::create_directories(directory, ec);
  if (ec) return Error(Errc::kIo, "create " + directory.string() + ": " + ec.message());
  return {};
}

Result<AppendFile> AppendFile::open(const fs::path& path) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd) return Error::from_errno("open " + path.string(), errno);
  RTSWEEP_CHECK_OK(sync_directory(path.parent_path()));
  return AppendFile(std::move(fd), path);
}

Result<void> AppendFile::append(std::string_view content) {
  RTSWEEP_CHECK_OK(write_all(fd_.get(), content, path_.string()));
  if (::fdatasync(fd_.get()) != 0) return Error::from_errno("fdatasync " + path_.string(), errno);
  return {};
}

}  // namespace rtsweep
