// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rtsweep {

// What a machine said of itself at one moment. Unknown is an empty optional or an
// empty string, never 0.
struct MachineFacts {
  std::string kernel_release;  // uname -r
  std::string kernel_version;  // uname -v
  std::string machine;         // uname -m
  std::string cmdline;         // /proc/cmdline
  std::optional<bool> preempt_rt;           // from uname -v or the kernel's config
  std::optional<int> numa_nodes;            // online nodes
  std::optional<int64_t> page_size;         // bytes
  std::vector<int> online_cpus;
  std::vector<int> isolated_cpus;
  std::string clocksource;                  // current_clocksource
  std::string cpu_model;
  std::optional<int64_t> mem_total_kib;
  std::optional<int64_t> sched_rt_runtime_us;  // -1: RT tasks are never throttled
  std::map<int, std::string> governors;     // per CPU, where cpufreq exists
  std::map<int, int64_t> numa_mem_kib;      // per node: MemTotal
  std::optional<int64_t> tainted;           // /proc/sys/kernel/tainted
  std::string userland;                     // "64-bit" or "32-bit": the measuring program's own

  bool operator==(const MachineFacts&) const = default;
};

void to_json(nlohmann::json& json, const MachineFacts& facts);
void from_json(const nlohmann::json& json, MachineFacts& facts);

}  // namespace rtsweep
