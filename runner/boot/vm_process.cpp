// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/boot/vm_process.h"

#include <algorithm>
#include <string>

#include "runner/base/text.h"
#include "runner/host/read_values.h"

namespace rtsweep {

bool is_stopped(const HostRoot& host, pid_t pid) {
  const std::string stat = text_of(host, "proc/" + std::to_string(pid) + "/stat");
  const size_t close = stat.rfind(')');
  if (close == std::string::npos || close + 2 >= stat.size()) return false;
  const char state = stat[close + 2];
  return state == 'T' || state == 't';
}

std::optional<double> waited_for_cpu_s(const HostRoot& host, pid_t pid) {
  const std::string directory = "proc/" + std::to_string(pid) + "/task";
  const std::vector<std::string> threads = names_in(host, directory);
  const auto is_guest_cpu = [&](const std::string& thread) {
    return text_of(host, directory + "/" + thread + "/comm").starts_with("CPU ");
  };
  const bool named = std::ranges::any_of(threads, is_guest_cpu);
  std::optional<double> waited;
  for (const std::string& thread : threads) {
    if (named && !is_guest_cpu(thread)) continue;
    const std::vector<std::string> account =
        words(text_of(host, directory + "/" + thread + "/schedstat"));
    const auto ns = account.size() >= 2 ? number_in(account[1]) : std::nullopt;
    if (ns) waited = waited.value_or(0) + static_cast<double>(*ns) * 1e-9;
  }
  return waited;
}

}  // namespace rtsweep
