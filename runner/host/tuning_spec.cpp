// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/tuning_spec.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

using nlohmann::json;

template <typename T>
bool is_set(const std::optional<T>& value) {
  return value.has_value();
}
template <typename T>
bool is_set(const T& value) {
  return !value.empty();
}

template <typename T>
const T& content(const std::optional<T>& value) {
  return *value;
}
template <typename T>
const T& content(const T& value) {
  return value;
}

// Calls with the name and the member of every key, in the order of the plan's page.
template <typename Spec, typename Visit>
void visit_keys(Spec& spec, Visit visit) {
  visit("governor", spec.governor);
  visit("cpu_khz", spec.cpu_khz);
  visit("idle_states_disabled_over_us", spec.idle_states_disabled_over_us);
  visit("cpu_dma_latency_us", spec.cpu_dma_latency_us);
  visit("sched_rt_runtime_us", spec.sched_rt_runtime_us);
  visit("transparent_hugepages", spec.transparent_hugepages);
  visit("numa_balancing", spec.numa_balancing);
  visit("nmi_watchdog", spec.nmi_watchdog);
  visit("ksm", spec.ksm);
  visit("timer_migration", spec.timer_migration);
  visit("irq_affinity", spec.irq_affinity);
  visit("gpu_khz", spec.gpu_khz);
  visit("devfreq_khz", spec.devfreq_khz);
  visit("stop_services", spec.stop_services);
  visit("sysfs", spec.sysfs);
  visit("sysctl", spec.sysctl);
}

template <typename T>
void take(const json& j, std::optional<T>& value) {
  value = j.get<T>();
}
template <typename T>
void take(const json& j, T& value) {
  j.get_to(value);
}

bool leads_out(std::string_view path) {
  const std::vector<std::string> parts = split(path, '/');
  return std::ranges::any_of(parts, [](const std::string& part) { return part == ".."; });
}

}  // namespace

void to_json(json& j, const TuningSpec& spec) {
  j = json::object();
  visit_keys(spec, [&](const char* key, const auto& value) {
    if (is_set(value)) j[key] = content(value);
  });
}

void from_json(const json& j, TuningSpec& spec) {
  visit_keys(spec, [&](const char* key, auto& value) {
    if (j.contains(key)) take(j.at(key), value);
  });
}

std::string sysctl_file(std::string_view name) {
  std::string file(name);
  // sysctl(8): the first separator is the one between parts, and the other is part of names.
  const size_t first = file.find_first_of("./");
  if (first != std::string::npos && file[first] == '.') {
    for (char& c : file) c = c == '.' ? '/' : c == '/' ? '.' : c;
  }
  return "proc/sys/" + file;
}

std::optional<std::string> refuse_sysfs_path(std::string_view path) {
  if (!path.starts_with("/sys/") && !path.starts_with("/proc/sys/")) {
    return "only files below /sys and /proc/sys can be set";
  }
  if (leads_out(path)) return "a path with \"..\" is not taken";
  return std::nullopt;
}

std::optional<std::string> refuse_sysctl_name(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.front() == '.') {
    return "a name such as \"kernel.panic\" is wanted";
  }
  if (leads_out(sysctl_file(name))) return "a name with \"..\" is not taken";
  return std::nullopt;
}

}  // namespace rtsweep
