// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/facts.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <string>

#include "analysis/kernel_arch.h"
#include "runner/base/command.h"
#include "runner/base/text.h"
#include "runner/base/unique_fd.h"
#include "runner/host/board_facts.h"
#include "runner/host/cpu_list.h"
#include "runner/host/interrupts.h"
#include "runner/host/kernel_config_file.h"
#include "runner/host/memory_facts.h"
#include "runner/host/read_values.h"
#include "runner/host/task_scan.h"

namespace rtsweep {
namespace {

std::vector<int> cpus_or_none(Result<std::vector<int>> cpus) {
  return cpus ? std::move(cpus).value() : std::vector<int>();
}

std::vector<int> cpus_in(const HostRoot& host, std::string_view file) {
  return cpus_or_none(parse_cpu_list(text_of(host, file)));
}

std::string cpu_model(const HostRoot& host) {
  const std::string text = text_of(host, "proc/cpuinfo");
  // x86 and 32-bit ARM have "model name"; 64-bit ARM names the part only.
  const std::string model = colon_field(text, "model name");
  const std::string part = colon_field(text, "CPU part");
  if (!model.empty() || part.empty()) return model;
  return "ARM implementer " + colon_field(text, "CPU implementer") + " part " + part;
}

// The value of the last "name=value" on the command line, which is the one that holds.
std::string boot_parameter(std::string_view cmdline, std::string_view name) {
  std::string value;
  for (const std::string& word : words(cmdline)) {
    if (word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=') {
      value = word.substr(name.size() + 1);
    }
  }
  return value;
}

std::vector<IdleState> idle_states(const HostRoot& host, const std::string& cpu) {
  std::vector<IdleState> states;
  const std::string directory = cpu + "/cpuidle";
  for (const std::string& state : names_in(host, directory)) {
    const std::string path = directory + "/" + state;
    const std::string name = text_of(host, path + "/name");
    if (name.empty()) continue;
    states.push_back({.name = name,
                      .exit_latency_us = number_of(host, path + "/latency"),
                      .disabled = number_of(host, path + "/disable").value_or(0) != 0});
  }
  return states;
}

void read_cpus(const HostRoot& host, MachineFacts& facts) {
  facts.cpu_model = cpu_model(host);
  facts.online_cpus = cpus_or_none(online_cpus(host));
  facts.isolated_cpus = cpus_or_none(isolated_cpus(host));
  facts.nohz_full_cpus = cpus_in(host, "sys/devices/system/cpu/nohz_full");
  facts.smt = text_of(host, "sys/devices/system/cpu/smt/control");
  for (const int cpu : facts.online_cpus) {
    const std::string path = "sys/devices/system/cpu/cpu" + std::to_string(cpu);
    const CpuPlace place = {.package = number_of(host, path + "/topology/physical_package_id"),
                            .core = number_of(host, path + "/topology/core_id"),
                            .siblings = text_of(host, path + "/topology/thread_siblings_list")};
    if (place != CpuPlace{}) facts.topology[cpu] = place;
    const std::string governor = text_of(host, path + "/cpufreq/scaling_governor");
    if (!governor.empty()) {
      facts.governors[cpu] = governor;
      facts.frequency_limits[cpu] = {
          .driver = text_of(host, path + "/cpufreq/scaling_driver"),
          .min_khz = number_of(host, path + "/cpufreq/scaling_min_freq"),
          .max_khz = number_of(host, path + "/cpufreq/scaling_max_freq")};
    }
    auto states = idle_states(host, path);
    if (!states.empty()) facts.idle_states[cpu] = std::move(states);
  }
}

// A PM QoS request lasts as long as its file is open; who opens it without writing asks
// for nothing and reads the strictest request of all (Documentation/power/pm_qos_interface.rst).
std::optional<int64_t> cpu_dma_latency_us(const HostRoot& host) {
  const UniqueFd fd(::open(host.path("dev/cpu_dma_latency").c_str(), O_RDONLY | O_CLOEXEC));
  int32_t value = 0;
  if (!fd || ::read(fd.get(), &value, sizeof(value)) != sizeof(value)) return std::nullopt;
  return value;
}

// What a kernel with PREEMPT_DYNAMIC was booted with stands in debugfs, as the word in
// brackets; of others `uname -v` and the configuration tell.
std::string preemption(const HostRoot& host, const MachineFacts& facts) {
  if (facts.preempt_rt == true) return "rt";
  for (std::string word : words(text_of(host, "sys/kernel/debug/sched/preempt"))) {
    if (word.starts_with('(') && word.ends_with(')')) return word.substr(1, word.size() - 2);
  }
  const auto has = [&](const char* option) { return facts.kernel_config.contains(option); };
  if (has("PREEMPT_DYNAMIC")) {
    const std::string chosen = boot_parameter(facts.cmdline, "preempt");
    if (!chosen.empty()) return chosen;
  }
  if (has("PREEMPT_LAZY")) return "lazy";
  if (has("PREEMPT_VOLUNTARY")) return "voluntary";
  if (has("PREEMPT_NONE")) return "none";
  if (has("PREEMPT")) return "full";
  return {};
}

void read_kernel(const HostRoot& host, MachineFacts& facts) {
  facts.kernel_release = text_of(host, "proc/sys/kernel/osrelease");
  facts.kernel_version = text_of(host, "proc/sys/kernel/version");
  facts.machine = machine_name(host);
  facts.cmdline = text_of(host, "proc/cmdline");
  facts.boot_id = text_of(host, "proc/sys/kernel/random/boot_id");
  facts.preempt_rt = rt_from_version(facts.kernel_version);
  if (const auto config = find_kernel_config(host, facts.kernel_release)) {
    facts.kernel_config_file = config->file;
    facts.kernel_config = latency_options(config->text);
    if (!facts.preempt_rt) facts.preempt_rt = rt_from_config(config->text);
  }
  facts.preemption = preemption(host, facts);
  facts.rcu_nocbs = boot_parameter(facts.cmdline, "rcu_nocbs");
  facts.tainted = number_of(host, "proc/sys/kernel/tainted");
}

void read_net_queues(const HostRoot& host, MachineFacts& facts) {
  const std::string net = "sys/class/net";
  for (const std::string& device : names_in(host, net)) {
    for (const std::string& queue : names_in(host, net + "/" + device + "/queues")) {
      const std::string path = net + "/" + device + "/queues/" + queue;
      facts.net_queues[device + "/" + queue] = {
          .rps_cpus = text_of(host, path + "/rps_cpus"),
          .xps_cpus = text_of(host, path + "/xps_cpus"),
          .rps_flow_cnt = number_of(host, path + "/rps_flow_cnt")};
    }
  }
}

}  // namespace

std::optional<bool> rt_from_version(std::string_view uname_v) {
  if (uname_v.empty()) return std::nullopt;
  return flavour_of_version(uname_v) == KernelFlavour::kRt;
}

bool rt_from_config(std::string_view config) {
  for (const std::string& line : split(config, '\n')) {
    if (line == "CONFIG_PREEMPT_RT=y" || line == "CONFIG_PREEMPT_RT_FULL=y") return true;
  }
  return false;
}

// /proc/sys/kernel/arch exists since 6.1; before, only the system call tells.
std::string machine_name(const HostRoot& host) {
  const std::string arch = text_of(host, "proc/sys/kernel/arch");
  utsname names{};
  if (!arch.empty() || ::uname(&names) != 0) return arch;
  return names.machine;
}

MachineFacts read_facts(const HostRoot& host) {
  SystemCommands commands;
  MachineFacts facts;
  read_kernel(host, facts);
  read_cpus(host, facts);
  read_memory_facts(host, facts);
  facts.clocksource =
      text_of(host, "sys/devices/system/clocksource/clocksource0/current_clocksource");
  facts.cpu_dma_latency_us = cpu_dma_latency_us(host);
  facts.sched_rt_runtime_us = number_of(host, "proc/sys/kernel/sched_rt_runtime_us");
  facts.interrupts = read_interrupt_setup(host, rt_tasks(host));
  read_net_queues(host, facts);
  facts.board = read_board_facts(host, commands);
  facts.userland = sizeof(void*) == 8 ? "64-bit" : "32-bit";
  return facts;
}

}  // namespace rtsweep
