// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/cpu_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace rtsweep {
namespace {

std::optional<int> to_cpu(std::string_view text) {
  int cpu = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (ec != std::errc{} || end != text.data() + text.size() || cpu < 0) return std::nullopt;
  return cpu;
}

Result<std::vector<int>> read_cpu_list(const HostRoot& host, std::string_view file) {
  RTSWEEP_TRY(const std::string text, host.read(file));
  auto cpus = parse_cpu_list(text);
  if (!cpus) return std::move(cpus).error().with_context(file);
  return cpus;
}

}  // namespace

Result<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));

    const size_t dash = item.find('-');
    const auto first = to_cpu(item.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : to_cpu(item.substr(dash + 1));
    if (!first || !last || *last < *first) {
      return Error(Errc::kBadData, "not a cpu list: '" + std::string(item) + "'");
    }
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::string cpu_mask(const std::vector<int>& cpus) {
  const int highest = cpus.empty() ? 0 : *std::ranges::max_element(cpus);
  std::vector<uint32_t> groups(static_cast<size_t>(highest) / 32 + 1);
  for (const int cpu : cpus) groups[static_cast<size_t>(cpu) / 32] |= 1U << (cpu % 32);
  std::string text = fmt::format("{:x}", groups.back());
  for (size_t i = groups.size() - 1; i-- > 0;) text += fmt::format(",{:08x}", groups[i]);
  return text;
}

Result<std::vector<int>> online_cpus(const HostRoot& host) {
  return read_cpu_list(host, "sys/devices/system/cpu/online");
}

Result<std::vector<int>> isolated_cpus(const HostRoot& host) {
  return read_cpu_list(host, "sys/devices/system/cpu/isolated");
}

}  // namespace rtsweep
