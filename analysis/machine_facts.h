// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rtsweep {

// An idle state of a CPU: sys/devices/system/cpu/cpuN/cpuidle/stateM.
struct IdleState {
  std::string name;
  std::optional<int64_t> exit_latency_us;
  bool disabled = false;

  bool operator==(const IdleState&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("name", self.name);
    visit("exit_latency_us", self.exit_latency_us);
    visit("disabled", self.disabled);
  }
};

// Where a CPU sits: sys/devices/system/cpu/cpuN/topology.
struct CpuPlace {
  std::optional<int64_t> package;
  std::optional<int64_t> core;
  std::string siblings;  // hardware threads of its core, itself included: "0,4"

  bool operator==(const CpuPlace&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("package", self.package);
    visit("core", self.core);
    visit("siblings", self.siblings);
  }
};

// Between which frequencies a CPU may change: scaling_min_freq and scaling_max_freq.
struct FrequencyLimits {
  std::string driver;  // "intel_pstate", "cpufreq-dt"
  std::optional<int64_t> min_khz;
  std::optional<int64_t> max_khz;

  bool operator==(const FrequencyLimits&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("driver", self.driver);
    visit("min_khz", self.min_khz);
    visit("max_khz", self.max_khz);
  }
};

// Who serves an interrupt, and where.
struct InterruptSetup {
  std::string name;                    // as in /proc/interrupts: controller, trigger and action
  std::string affinity;                // smp_affinity_list: where it may go
  std::optional<int> thread_priority;  // of its SCHED_FIFO thread, if it has one

  bool operator==(const InterruptSetup&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("name", self.name);
    visit("affinity", self.affinity);
    visit("thread_priority", self.thread_priority);
  }
};

// Packet steering of one queue of a network device (CPU masks as the kernel prints them).
struct NetQueue {
  std::string rps_cpus;                 // receive queues only
  std::string xps_cpus;                 // transmit queues only
  std::optional<int64_t> rps_flow_cnt;  // receive queues only

  bool operator==(const NetQueue&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("rps_cpus", self.rps_cpus);
    visit("xps_cpus", self.xps_cpus);
    visit("rps_flow_cnt", self.rps_flow_cnt);
  }
};

// A board with a firmware that tells of itself; a Raspberry Pi's.
struct BoardFacts {
  std::string model;                              // device tree's
  std::map<std::string, std::string> bootloader;  // chosen/bootloader/*: numbers as decimal
  std::string eeprom_config;                      // as vcgencmd bootloader_config prints it

  bool operator==(const BoardFacts&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("model", self.model);
    visit("bootloader", self.bootloader);
    visit("eeprom_config", self.eeprom_config);
  }
};

// What a machine said of itself at one moment: how it is set up. What it counts while it
// works is in Counters. Unknown is an empty optional, text, list or map, never 0.
struct MachineFacts {
  std::string kernel_release;      // uname -r
  std::string kernel_version;      // uname -v
  std::string machine;             // uname -m
  std::string cmdline;             // /proc/cmdline
  std::string boot_id;             // another one is another boot
  std::optional<bool> preempt_rt;  // from uname -v or the kernel's config
  std::string preemption;          // "rt", "full", "lazy", "voluntary", "none"
  // Options of the kernel's .config that bear upon latency, without CONFIG_, and the file
  // that they are from.
  std::map<std::string, std::string> kernel_config;
  std::string kernel_config_file;
  std::optional<int64_t> page_size;  // bytes
  std::string cpu_model;
  std::vector<int> online_cpus;
  std::map<int, CpuPlace> topology;
  std::vector<int> isolated_cpus;
  std::vector<int> nohz_full_cpus;
  std::string rcu_nocbs;  // the boot parameter's value: the kernel shows it nowhere else
  std::string smt;        // "on", "off", "forceoff", "notsupported", "notimplemented"
  std::string clocksource;
  std::map<int, std::string> governors;  // per CPU, where cpufreq exists
  std::map<int, FrequencyLimits> frequency_limits;
  std::map<int, std::vector<IdleState>> idle_states;
  std::optional<int64_t> cpu_dma_latency_us;   // the strictest request of all programs
  std::string transparent_hugepages;           // "always", "madvise", "never"
  std::optional<int64_t> sched_rt_runtime_us;  // -1: RT tasks are never throttled
  std::optional<int64_t> mem_total_kib;
  std::optional<int64_t> hugepages_total;
  std::optional<int> numa_nodes;                       // online nodes
  std::map<int, int64_t> numa_mem_kib;                 // per node: MemTotal
  std::map<int, std::vector<int64_t>> numa_distances;  // per node, to all online ones
  std::string mempolicy;                               // that a new process gets: "default"
  std::optional<int64_t> cma_total_kib;
  std::vector<std::string> memory_log;  // boot messages about CMA and NUMA
  std::map<std::string, InterruptSetup> interrupts;
  std::map<std::string, NetQueue> net_queues;  // "eth0/rx-0"
  std::optional<BoardFacts> board;
  std::optional<int64_t> tainted;  // /proc/sys/kernel/tainted
  std::string userland;            // "64-bit" or "32-bit": the measuring program's own

  bool operator==(const MachineFacts&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("kernel_release", self.kernel_release);
    visit("kernel_version", self.kernel_version);
    visit("machine", self.machine);
    visit("cmdline", self.cmdline);
    visit("boot_id", self.boot_id);
    visit("preempt_rt", self.preempt_rt);
    visit("preemption", self.preemption);
    visit("kernel_config", self.kernel_config);
    visit("kernel_config_file", self.kernel_config_file);
    visit("page_size", self.page_size);
    visit("cpu_model", self.cpu_model);
    visit("online_cpus", self.online_cpus);
    visit("topology", self.topology);
    visit("isolated_cpus", self.isolated_cpus);
    visit("nohz_full_cpus", self.nohz_full_cpus);
    visit("rcu_nocbs", self.rcu_nocbs);
    visit("smt", self.smt);
    visit("clocksource", self.clocksource);
    visit("governors", self.governors);
    visit("frequency_limits", self.frequency_limits);
    visit("idle_states", self.idle_states);
    visit("cpu_dma_latency_us", self.cpu_dma_latency_us);
    visit("transparent_hugepages", self.transparent_hugepages);
    visit("sched_rt_runtime_us", self.sched_rt_runtime_us);
    visit("mem_total_kib", self.mem_total_kib);
    visit("hugepages_total", self.hugepages_total);
    visit("numa_nodes", self.numa_nodes);
    visit("numa_mem_kib", self.numa_mem_kib);
    visit("numa_distances", self.numa_distances);
    visit("mempolicy", self.mempolicy);
    visit("cma_total_kib", self.cma_total_kib);
    visit("memory_log", self.memory_log);
    visit("interrupts", self.interrupts);
    visit("net_queues", self.net_queues);
    visit("board", self.board);
    visit("tainted", self.tainted);
    visit("userland", self.userland);
  }
};

void to_json(nlohmann::json& json, const MachineFacts& facts);
void from_json(const nlohmann::json& json, MachineFacts& facts);

// Whether an option of a .config bears upon latency or tells what a kernel can do; given
// with or without "CONFIG_".
bool is_latency_option(std::string_view option);

// The options of a .config that bear upon latency and are set: "HZ" -> "250".
std::map<std::string, std::string> latency_options(std::string_view config);

}  // namespace rtsweep
