// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/thread_time.h"

#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

// Fields of /proc/PID/stat after the name, which may hold spaces (proc(5)): utime is the
// 14th of all, so the 12th of these.
constexpr size_t kUserTime = 11;
constexpr size_t kSystemTime = 12;

// Of a line of /proc/PID/stat: what is between the brackets, and what follows them.
std::pair<std::string, std::string> split_stat(const std::string& stat) {
  const size_t open = stat.find('(');
  const size_t close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return {stat.substr(open + 1, close - open - 1), stat.substr(close + 1)};
}

std::optional<std::string> stat_of(const HostRoot& host, const std::string& pid) {
  const auto stat = host.read("proc/" + pid + "/stat");
  return stat ? std::optional(*stat) : std::nullopt;
}

double time_in(const std::string& stat) {
  const std::vector<std::string> fields = words(split_stat(stat).second);
  if (fields.size() <= kSystemTime) return 0;
  double ticks = 0;
  for (const size_t field : {kUserTime, kSystemTime}) {
    uint64_t value = 0;
    std::from_chars(fields[field].data(), fields[field].data() + fields[field].size(), value);
    ticks += static_cast<double>(value);
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

std::vector<pid_t> kernel_threads(const HostRoot& host, std::string_view name) {
  std::vector<pid_t> pids;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(host.path("proc"), ec)) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string own = split_stat(stat_of(host, pid).value_or("")).first;
    if (own == name || own.starts_with(std::string(name) + "/")) pids.push_back(std::stoi(pid));
  }
  return pids;
}

std::optional<double> kernel_thread_time(const HostRoot& host, std::string_view name) {
  std::optional<double> sum;
  for (const pid_t pid : kernel_threads(host, name)) {
    const auto stat = stat_of(host, std::to_string(pid));
    if (stat) sum = sum.value_or(0) + time_in(*stat);
  }
  return sum;
}

}  // namespace rtsweep
