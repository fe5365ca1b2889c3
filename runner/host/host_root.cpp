// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/host_root.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

namespace rtsweep {

Result<std::string> HostRoot::read(std::string_view file) const {
  const std::filesystem::path target = path(file);
  errno = 0;
  std::ifstream in(target);
  if (!in) return Error::from_errno("read " + target.string(), errno);
  // istream::read reports a failed read(2) in the state, where an iterator over the
  // buffer throws: a process of /proc may vanish between open and read.
  std::string text;
  char chunk[4096];
  while (in.read(chunk, sizeof(chunk)) || in.gcount() > 0) {
    text.append(chunk, static_cast<size_t>(in.gcount()));
  }
  if (in.bad()) return Error::from_errno("read " + target.string(), errno);
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
