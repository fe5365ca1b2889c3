// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/facts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <charconv>
#include <string>

#include "runner/base/text.h"
#include "runner/host/cpu_list.h"

namespace rtsweep {
namespace {

std::string read_or_empty(const HostRoot& host, std::string_view file) {
  auto text = host.read(file);
  return text ? std::string(trim(*text)) : std::string();
}

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc{} || text.empty()) return std::nullopt;
  return value;
}

std::vector<int> cpus_or_none(Result<std::vector<int>> cpus) {
  return cpus ? std::move(cpus).value() : std::vector<int>();
}

// The value after "name:" or "name   :" in /proc/meminfo, /proc/cpuinfo and the like.
std::string field(std::string_view text, std::string_view name) {
  for (const std::string& line : split(text, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || trim(std::string_view(line).substr(0, colon)) != name) {
      continue;
    }
    return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return {};
}

std::string cpu_model(const HostRoot& host) {
  const std::string text = read_or_empty(host, "proc/cpuinfo");
  // x86 and 32-bit ARM have "model name"; 64-bit ARM names the part only.
  const std::string model = field(text, "model name");
  const std::string part = field(text, "CPU part");
  if (!model.empty() || part.empty()) return model;
  return "ARM implementer " + field(text, "CPU implementer") + " part " + part;
}

// "Node 1 MemTotal:       131072 kB"
std::optional<int64_t> node_mem_kib(const HostRoot& host, int node) {
  const std::string name = "sys/devices/system/node/node" + std::to_string(node) + "/meminfo";
  for (const std::string& line : split(read_or_empty(host, name), '\n')) {
    const std::vector<std::string> word = words(line);
    if (word.size() >= 4 && word[2] == "MemTotal:") return number(word[3]);
  }
  return std::nullopt;
}

void read_numa(const HostRoot& host, MachineFacts& facts) {
  const auto text = host.read("sys/devices/system/node/online");
  if (!text) return;
  const auto nodes = parse_cpu_list(*text);
  if (!nodes) return;
  facts.numa_nodes = static_cast<int>(nodes->size());
  for (const int node : *nodes) {
    if (const auto kib = node_mem_kib(host, node)) facts.numa_mem_kib[node] = *kib;
  }
}

void read_governors(const HostRoot& host, MachineFacts& facts) {
  for (const int cpu : facts.online_cpus) {
    const std::string name = "sys/devices/system/cpu/cpu" + std::to_string(cpu);
    const std::string governor = read_or_empty(host, name + "/cpufreq/scaling_governor");
    if (!governor.empty()) facts.governors[cpu] = governor;
  }
}

// /proc/sys/kernel/arch exists since 6.1; before, only the system call tells.
std::string machine_name(const HostRoot& host) {
  const std::string arch = read_or_empty(host, "proc/sys/kernel/arch");
  utsname names{};
  if (!arch.empty() || ::uname(&names) != 0) return arch;
  return names.machine;
}

}  // namespace

std::optional<bool> rt_from_version(std::string_view uname_v) {
  if (uname_v.empty()) return std::nullopt;
  for (const std::string_view mark : {"PREEMPT_RT", "PREEMPT RT", "PREEMPT_{RT"}) {
    if (uname_v.find(mark) != std::string_view::npos) return true;
  }
  return false;
}

bool rt_from_config(std::string_view config) {
  for (const std::string& line : split(config, '\n')) {
    if (line == "CONFIG_PREEMPT_RT=y" || line == "CONFIG_PREEMPT_RT_FULL=y") return true;
  }
  return false;
}

MachineFacts read_facts(const HostRoot& host) {
  MachineFacts facts;
  facts.kernel_release = read_or_empty(host, "proc/sys/kernel/osrelease");
  facts.kernel_version = read_or_empty(host, "proc/sys/kernel/version");
  facts.machine = machine_name(host);
  facts.cmdline = read_or_empty(host, "proc/cmdline");
  facts.preempt_rt = rt_from_version(facts.kernel_version);
  facts.page_size = ::sysconf(_SC_PAGESIZE);
  facts.online_cpus = cpus_or_none(online_cpus(host));
  facts.isolated_cpus = cpus_or_none(isolated_cpus(host));
  facts.clocksource =
      read_or_empty(host, "sys/devices/system/clocksource/clocksource0/current_clocksource");
  facts.cpu_model = cpu_model(host);
  facts.mem_total_kib = number(field(read_or_empty(host, "proc/meminfo"), "MemTotal"));
  facts.sched_rt_runtime_us = number(read_or_empty(host, "proc/sys/kernel/sched_rt_runtime_us"));
  facts.tainted = number(read_or_empty(host, "proc/sys/kernel/tainted"));
  facts.userland = sizeof(void*) == 8 ? "64-bit" : "32-bit";
  read_numa(host, facts);
  read_governors(host, facts);
  return facts;
}

}  // namespace rtsweep
