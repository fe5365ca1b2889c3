// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rtsweep {

// What a plan's [tuning] asks for; empty is: leave it as it is. The same on this machine
// and in a guest, where it arrives as JSON.
struct TuningSpec {
  std::optional<std::string> governor;                  // of all CPUs
  std::optional<int64_t> cpu_khz;                       // of all CPUs: lowest and highest frequency
  std::optional<int64_t> idle_states_disabled_over_us;  // those with a longer exit latency
  std::optional<int64_t> cpu_dma_latency_us;
  std::optional<int64_t> sched_rt_runtime_us;  // -1: RT tasks are never throttled
  std::optional<std::string> transparent_hugepages;
  std::optional<bool> numa_balancing;
  std::optional<bool> nmi_watchdog;
  std::optional<bool> ksm;
  std::optional<bool> timer_migration;
  std::vector<int> irq_affinity;  // CPUs that take the interrupts
  std::optional<int64_t> gpu_khz;
  std::map<std::string, int64_t> devfreq_khz;  // by name in /sys/class/devfreq
  std::vector<std::string> stop_services;      // systemd units
  std::map<std::string, std::string> sysfs;    // "/sys/..." or "/proc/sys/..." to value
  std::map<std::string, std::string> sysctl;   // "kernel.panic" to value

  bool empty() const { return *this == TuningSpec(); }
  bool operator==(const TuningSpec&) const = default;
};

// Keys that are empty are left out.
void to_json(nlohmann::json& json, const TuningSpec& spec);
void from_json(const nlohmann::json& json, TuningSpec& spec);

// The file of a sysctl(8) name below a HostRoot: "net.ipv4.conf.eth0/1.rp_filter" is
// "proc/sys/net/ipv4/conf/eth0.1/rp_filter".
std::string sysctl_file(std::string_view name);

// Why a path of `sysfs` or a name of `sysctl` cannot be written: it is not below /sys or
// /proc/sys, or leads out of it. Empty when it can.
std::optional<std::string> refuse_sysfs_path(std::string_view path);
std::optional<std::string> refuse_sysctl_name(std::string_view name);

}  // namespace rtsweep
