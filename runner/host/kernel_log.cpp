// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/kernel_log.h"

#include <sys/klog.h>

#include <cerrno>

namespace rtsweep {
namespace {

// syslog(2)
constexpr int kReadAll = 3;
constexpr int kSizeOfBuffer = 10;

Result<std::string> read_ring_buffer() {
  const int size = ::klogctl(kSizeOfBuffer, nullptr, 0);
  if (size < 0) return Error::from_errno("read the kernel's log", errno);
  std::string log(static_cast<size_t>(size), '\0');
  const int got = ::klogctl(kReadAll, log.data(), size);
  if (got < 0) return Error::from_errno("read the kernel's log", errno);
  log.resize(static_cast<size_t>(got));
  return log;
}

}  // namespace

Result<std::string> read_kernel_log(const HostRoot& host) {
  if (host.path("") == "/") return read_ring_buffer();
  auto log = host.read("dmesg.txt");
  return log ? log : host.read("var/log/dmesg");
}

}  // namespace rtsweep
