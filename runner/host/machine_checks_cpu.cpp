// SPDX-License-Identifier: GPL-2.0-or-later

// CPUs, their clocks and idle states, and heat.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "runner/base/text.h"
#include "runner/host/cpu_list.h"
#include "runner/host/machine_checks_parts.h"

namespace rtsweep::machine_checks {
namespace {

constexpr const char* kCpus = "sys/devices/system/cpu/";

std::optional<double> number_in(const HostRoot& host, const std::string& file) {
  const auto text = text_in(host, file);
  if (!text) return std::nullopt;
  double value = 0;
  const auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), value);
  return ec == std::errc() ? std::optional(value) : std::nullopt;
}

void read_governors(const HostRoot& host, const std::vector<int>& cpus, Observations& observed) {
  std::map<std::string, std::vector<int>> found;
  for (const int cpu : cpus) {
    const auto governor =
        text_in(host, fmt::format("{}cpu{}/cpufreq/scaling_governor", kCpus, cpu));
    if (governor) found[*governor].push_back(cpu);
  }
  observe_by_cpu("governor", "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", found,
                 observed);
}

void read_turbo(const HostRoot& host, Observations& observed) {
  const std::string no_turbo = std::string(kCpus) + "intel_pstate/no_turbo";
  const std::string boost = std::string(kCpus) + "cpufreq/boost";
  auto& list = observed["turbo"];  // a machine without either file has none
  for (const auto& [file, on] : {std::pair(no_turbo, "0"), std::pair(boost, "1")}) {
    const auto value = text_in(host, file);
    if (!value) continue;
    list.push_back({*value == on ? "on" : "off", file + " is " + *value, "/" + file, 0});
    return;
  }
}

// The states that a CPU may enter now, with what it takes to leave them.
void read_idle_states(const HostRoot& host, const std::vector<int>& cpus, Observations& observed) {
  if (!text_in(host, std::string(kCpus) + "cpuidle/current_driver")) return;
  std::map<std::pair<int, std::string>, std::vector<int>> enabled;  // by latency and name
  for (const int cpu : cpus) {
    const std::string directory = fmt::format("{}cpu{}/cpuidle", kCpus, cpu);
    for (const std::string& state : names_in(host, directory)) {
      const std::string file = directory + "/" + state;
      const auto latency = number_in(host, file + "/latency");
      if (!latency || number_in(host, file + "/disable").value_or(0) != 0) continue;
      const std::string name = text_in(host, file + "/name").value_or(state);
      enabled[{static_cast<int>(*latency), name}].push_back(cpu);
    }
  }
  auto& list = observed["idle_exit_latency_us"];
  for (const auto& [state, on] : enabled) {
    list.push_back(
        {std::to_string(state.first),
         fmt::format("CPU {}: {}, {} us to leave", number_ranges(on), state.second, state.first),
         "/sys/devices/system/cpu/cpu*/cpuidle", 0});
  }
}

void read_smt(const HostRoot& host, const std::vector<int>& cpus, Observations& observed) {
  const std::string active = std::string(kCpus) + "smt/active";
  if (const auto value = text_in(host, active)) {
    observed["smt"] = {{*value == "1" ? "on" : "off", active + " is " + *value, "/" + active, 0}};
    return;
  }
  // Before 4.19, and where the architecture has no control.
  for (const int cpu : cpus) {
    const auto text =
        text_in(host, fmt::format("{}cpu{}/topology/thread_siblings_list", kCpus, cpu));
    if (!text) return;
    const auto siblings = parse_cpu_list(*text);
    const bool several = siblings && siblings->size() > 1;
    observed["smt"] = {{several ? "on" : "off", "CPU " + *text + " share a core", "", 0}};
    if (several) return;
  }
}

void read_temperature(const HostRoot& host, Observations& observed) {
  const std::string directory = "sys/class/thermal";
  double hottest = -1000;
  for (const std::string& zone : names_in(host, directory)) {
    if (!zone.starts_with("thermal_zone")) continue;
    const auto millidegrees = number_in(host, directory + "/" + zone + "/temp");
    if (!millidegrees || *millidegrees / 1000 <= hottest) continue;
    hottest = *millidegrees / 1000;
    const std::string type = text_in(host, directory + "/" + zone + "/type").value_or(zone);
    observed["temperature_c"] = {{fmt::format("{:.1f}", hottest),
                                  fmt::format("{}: {:.1f} degrees C", type, hottest),
                                  "/" + directory + "/" + zone + "/temp", 0}};
  }
}

// x86 only: /sys/devices/system/cpu/cpu0/thermal_throttle/{core,package}_throttle_count
void read_throttle_counts(const HostRoot& host, const std::vector<int>& cpus,
                          Observations& observed) {
  std::map<int, std::vector<int>> by_count;
  for (const int cpu : cpus) {
    const std::string directory = fmt::format("{}cpu{}/thermal_throttle/", kCpus, cpu);
    const auto core = number_in(host, directory + "core_throttle_count");
    const auto package = number_in(host, directory + "package_throttle_count");
    if (!core && !package) continue;
    by_count[static_cast<int>(std::max(core.value_or(0), package.value_or(0)))].push_back(cpu);
  }
  if (by_count.empty()) return;
  auto& list = observed["throttle_count"];
  for (const auto& [count, on] : by_count) {
    list.push_back({std::to_string(count),
                    fmt::format("CPU {}: {} times", number_ranges(on), count),
                    "/sys/devices/system/cpu/cpu*/thermal_throttle", 0});
  }
}

}  // namespace

void read_cpus(const HostRoot& host, Observations& observed) {
  const auto cpus = online_cpus(host);
  if (!cpus) return;
  observed["cpus"] = {{std::to_string(cpus->size()), fmt::format("CPUs: {}", cpus->size()),
                       "/sys/devices/system/cpu/online", 0}};
  read_governors(host, *cpus, observed);
  read_turbo(host, observed);
  read_idle_states(host, *cpus, observed);
  read_smt(host, *cpus, observed);
}

void read_heat(const HostRoot& host, Observations& observed) {
  read_temperature(host, observed);
  const auto cpus = online_cpus(host);
  if (cpus) read_throttle_counts(host, *cpus, observed);
}

}  // namespace rtsweep::machine_checks
