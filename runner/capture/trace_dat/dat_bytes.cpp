// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/trace_dat/dat_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace rtsweep {

uint64_t ByteCursor::number(size_t size) {
  return number_at(take(size), 0, failed_ ? 0 : size, big_endian_);
}

std::string_view ByteCursor::take(uint64_t size) {
  if (failed_ || size > rest_.size()) {
    failed_ = true;
    return {};
  }
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::string_view ByteCursor::text() {
  const size_t end = rest_.find('\0');
  if (end == std::string_view::npos) {
    failed_ = true;
    return {};
  }
  const std::string_view found = take(end);
  rest_.remove_prefix(1);
  return found;
}

Result<DatBytes> DatBytes::open(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return Error::from_errno("open " + path, errno);
  return from_fd(std::move(fd), path);
}

Result<DatBytes> DatBytes::from_fd(UniqueFd fd, std::string name) {
  struct stat about = {};
  if (::fstat(fd.get(), &about) != 0) return Error::from_errno("stat " + name, errno);
  if (!S_ISREG(about.st_mode)) return Error(Errc::kBadData, name + ": not a regular file");
  return DatBytes(std::move(fd), static_cast<uint64_t>(about.st_size), std::move(name));
}

std::optional<std::string> DatBytes::read(uint64_t offset, uint64_t size) const {
  if (offset > size_ || size > size_ - offset) return std::nullopt;
  std::string bytes(size, '\0');
  if (read_into(offset, bytes.data(), size) != size) return std::nullopt;
  return bytes;
}

size_t DatBytes::read_into(uint64_t offset, char* to, size_t size) const {
  size_t done = 0;
  while (done < size) {
    const ssize_t got =
        ::pread(fd_.get(), to + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace rtsweep
