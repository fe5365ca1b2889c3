// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/machine_facts.h"

#include <nlohmann/json.hpp>

namespace rtsweep {
namespace {

using nlohmann::json;

// Unknown values are left out of the JSON, so that nobody reads them as 0.
template <typename T>
void put(json& j, const char* name, const std::optional<T>& value) {
  if (value) j[name] = *value;
}
void put(json& j, const char* name, const std::string& value) {
  if (!value.empty()) j[name] = value;
}

template <typename T>
void take(const json& j, const char* name, std::optional<T>& value) {
  if (j.contains(name)) value = j.at(name).get<T>();
}
template <typename T>
void take(const json& j, const char* name, T& value) {
  if (j.contains(name)) j.at(name).get_to(value);
}

template <typename T>
json by_number(const std::map<int, T>& values) {
  json j = json::object();
  for (const auto& [number, value] : values) j[std::to_string(number)] = value;
  return j;
}

template <typename T>
std::map<int, T> from_numbers(const json& j) {
  std::map<int, T> values;
  for (const auto& [number, value] : j.items()) values[std::stoi(number)] = value.template get<T>();
  return values;
}

}  // namespace

void to_json(json& j, const MachineFacts& facts) {
  j = json::object();
  put(j, "kernel_release", facts.kernel_release);
  put(j, "kernel_version", facts.kernel_version);
  put(j, "machine", facts.machine);
  put(j, "cmdline", facts.cmdline);
  put(j, "preempt_rt", facts.preempt_rt);
  put(j, "numa_nodes", facts.numa_nodes);
  put(j, "page_size", facts.page_size);
  put(j, "clocksource", facts.clocksource);
  put(j, "cpu_model", facts.cpu_model);
  put(j, "mem_total_kib", facts.mem_total_kib);
  put(j, "sched_rt_runtime_us", facts.sched_rt_runtime_us);
  put(j, "tainted", facts.tainted);
  put(j, "userland", facts.userland);
  j["online_cpus"] = facts.online_cpus;
  j["isolated_cpus"] = facts.isolated_cpus;
  if (!facts.governors.empty()) j["governors"] = by_number(facts.governors);
  if (!facts.numa_mem_kib.empty()) j["numa_mem_kib"] = by_number(facts.numa_mem_kib);
}

void from_json(const json& j, MachineFacts& facts) {
  take(j, "kernel_release", facts.kernel_release);
  take(j, "kernel_version", facts.kernel_version);
  take(j, "machine", facts.machine);
  take(j, "cmdline", facts.cmdline);
  take(j, "preempt_rt", facts.preempt_rt);
  take(j, "numa_nodes", facts.numa_nodes);
  take(j, "page_size", facts.page_size);
  take(j, "clocksource", facts.clocksource);
  take(j, "cpu_model", facts.cpu_model);
  take(j, "mem_total_kib", facts.mem_total_kib);
  take(j, "sched_rt_runtime_us", facts.sched_rt_runtime_us);
  take(j, "tainted", facts.tainted);
  take(j, "userland", facts.userland);
  take(j, "online_cpus", facts.online_cpus);
  take(j, "isolated_cpus", facts.isolated_cpus);
  if (j.contains("governors")) facts.governors = from_numbers<std::string>(j.at("governors"));
  if (j.contains("numa_mem_kib")) facts.numa_mem_kib = from_numbers<int64_t>(j.at("numa_mem_kib"));
}

}  // namespace rtsweep
