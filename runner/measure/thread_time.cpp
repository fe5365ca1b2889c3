// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/thread_time.h"

#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

// Fields of /proc/PID/stat after the name, which may hold spaces (proc(5)): utime is the
// 14th of all, so the 12th of these.
constexpr size_t kUserTime = 11;
constexpr size_t kSystemTime = 12;

std::optional<double> time_of(const std::string& stat, std::string_view name) {
  const size_t open = stat.find('(');
  const size_t close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  const std::string own = stat.substr(open + 1, close - open - 1);
  if (own != name && !own.starts_with(std::string(name) + "/")) return {};
  const std::vector<std::string> fields = words(stat.substr(close + 1));
  if (fields.size() <= kSystemTime) return {};
  double ticks = 0;
  for (const size_t field : {kUserTime, kSystemTime}) {
    uint64_t value = 0;
    std::from_chars(fields[field].data(), fields[field].data() + fields[field].size(), value);
    ticks += static_cast<double>(value);
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

std::optional<double> kernel_thread_time(const HostRoot& host, std::string_view name) {
  std::optional<double> sum;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(host.path("proc"), ec)) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto stat = host.read("proc/" + pid + "/stat");
    const auto seconds = stat ? time_of(*stat, name) : std::nullopt;
    if (seconds) sum = sum.value_or(0) + *seconds;
  }
  return sum;
}

}  // namespace rtsweep
