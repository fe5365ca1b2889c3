// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/kernel_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "runner/base/text.h"
#include "runner/host/read_values.h"

namespace rtsweep {
namespace {

// A record is at most this long (the kernel's CONSOLE_EXT_LOG_MAX).
constexpr size_t kLongestRecord = 8192;

UniqueFd open_log(const HostRoot& host) {
  return UniqueFd(::open(host.path("dev/kmsg").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

std::vector<std::string> read_records(int fd) {
  std::vector<std::string> lines;
  std::array<char, kLongestRecord> record;
  while (true) {
    const ssize_t size = ::read(fd, record.data(), record.size());
    if (size < 0 && (errno == EPIPE || errno == EINTR)) continue;  // overwritten meanwhile
    if (size <= 0) return lines;
    const auto line = kmsg_line({record.data(), static_cast<size_t>(size)});
    if (line) lines.push_back(*line);
  }
}

}  // namespace

std::optional<std::string> kmsg_line(std::string_view record) {
  const size_t semicolon = record.find(';');
  if (semicolon == std::string_view::npos) return std::nullopt;
  const std::vector<std::string> prefix = split(record.substr(0, semicolon), ',');
  if (prefix.size() < 3) return std::nullopt;
  const auto us = number_in(prefix[2]);
  if (!us) return std::nullopt;
  std::string_view text = record.substr(semicolon + 1);
  text = text.substr(0, text.find('\n'));
  return fmt::format("[{:5}.{:06}] {}", *us / 1'000'000, *us % 1'000'000, text);
}

std::vector<std::string> kernel_log_lines(const HostRoot& host) {
  const UniqueFd fd = open_log(host);
  return fd ? read_records(fd.get()) : std::vector<std::string>();
}

Result<std::string> read_kernel_log(const HostRoot& host) {
  if (host.path("") != "/") {
    auto log = host.read("dmesg.txt");
    return log ? log : host.read("var/log/dmesg");
  }
  const UniqueFd fd = open_log(host);
  if (!fd) return Error::from_errno("read the kernel's log", errno);
  return join(read_records(fd.get()), "\n") + "\n";
}

NewKernelLog::NewKernelLog(const HostRoot& host) : fd_(open_log(host)) {
  if (fd_) ::lseek(fd_.get(), 0, SEEK_END);
}

std::optional<std::vector<std::string>> NewKernelLog::lines() {
  if (!fd_) return std::nullopt;
  return read_records(fd_.get());
}

}  // namespace rtsweep
