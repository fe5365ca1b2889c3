// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/host_root.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "runner/base/unique_fd.h"

namespace rtsweep {

Result<std::string> HostRoot::read(std::string_view file) const {
  const std::string target = path(file).string();
  const UniqueFd fd(::open(target.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return Error::from_errno("read " + target, errno);
  std::string text;
  char chunk[4096];
  while (true) {
    // A kernel file may fail here as well as in open(): a process may have gone.
    const ssize_t got = ::read(fd.get(), chunk, sizeof(chunk));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::from_errno("read " + target, errno);
    if (got == 0) break;
    text.append(chunk, static_cast<size_t>(got));
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

Result<void> HostRoot::write(std::string_view file, std::string_view value) const {
  const std::string target = path(file).string();
  const int fd = ::open(target.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return Error::from_errno("open " + target, errno);
  const ssize_t written = ::write(fd, value.data(), value.size());
  const int err = errno;
  ::close(fd);
  if (written < 0) return Error::from_errno("write " + target, err);
  if (static_cast<size_t>(written) != value.size()) {
    return Error(Errc::kIo, "write " + target + ": short write");
  }
  return {};
}

}  // namespace rtsweep
