// SPDX-License-Identifier: GPL-2.0-or-later

// Frequencies and idle states of CPUs, and frequencies of other devices.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "runner/base/text.h"
#include "runner/host/tuning_changes.h"

namespace rtsweep::tuning {
namespace {

constexpr char kPolicies[] = "sys/devices/system/cpu/cpufreq";
constexpr char kNoCpufreq[] = "the frequency of this machine's CPUs cannot be set (no cpufreq)";
constexpr char kDevfreq[] = "sys/class/devfreq";
constexpr char kDrm[] = "sys/class/drm";

std::optional<int64_t> number_in(const HostRoot& host, const std::string& file) {
  const auto text = host.read(file);
  if (!text) return std::nullopt;
  const std::string_view digits = trim(*text);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole ? std::optional(value) : std::nullopt;
}

std::vector<std::string> words_in(const HostRoot& host, const std::string& file) {
  const auto text = host.read(file);
  return text ? words(*text) : std::vector<std::string>();
}

std::vector<std::string> policies(const HostRoot& host) {
  std::vector<std::string> paths;
  for (const std::string& name : entries_of(host, kPolicies, "policy")) {
    paths.push_back(std::string(kPolicies) + "/" + name);
  }
  return paths;
}

// Two files that limit a frequency from below and above, and what they take.
struct Limits {
  std::string setting;
  std::string low;   // file
  std::string high;  // file
  std::optional<int64_t> least;
  std::optional<int64_t> most;
  std::vector<std::string> steps;  // the frequencies that the device has; may be unknown
};

// The kernel would clamp or round a frequency that the device does not have, silently.
std::string why_not(const Limits& limits, int64_t value) {
  if (limits.least && limits.most && (value < *limits.least || value > *limits.most)) {
    return fmt::format("it is not in the range from {} to {}", *limits.least, *limits.most);
  }
  if (limits.steps.empty() ||
      std::ranges::find(limits.steps, std::to_string(value)) != limits.steps.end()) {
    return "";
  }
  return "there are only: " + join(limits.steps, ", ");
}

// The lower limit must never be above the upper one, neither now nor when the changes
// are undone in reverse order.
void add_pin(const HostRoot& host, const Limits& limits, int64_t value, Changes& changes) {
  const std::string text = std::to_string(value);
  if (const std::string problem = why_not(limits, value); !problem.empty()) {
    return add_problem(changes, limits.setting, limits.low, text, problem);
  }
  TuningChange low{.setting = limits.setting, .file = limits.low, .value = text};
  TuningChange high{.setting = limits.setting, .file = limits.high, .value = text};
  const auto most_now = number_in(host, limits.high);
  const bool rises = most_now && value > *most_now;
  changes.push_back(rises ? high : low);
  changes.push_back(rises ? std::move(low) : std::move(high));
}

// Since Linux 5.4 scaling_max_freq shows the limit that holds, which the thermal governor
// may have lowered for the moment: putting that back would make it permanent.
bool cpus_are_throttled(const HostRoot& host) {
  for (const std::string& name : entries_of(host, "sys/class/thermal", "cooling_device")) {
    const std::string device = "sys/class/thermal/" + name;
    const auto type = host.read(device + "/type");
    if (!type || (type->find("cpufreq") == std::string::npos && *type != "Processor")) continue;
    if (number_in(host, device + "/cur_state").value_or(0) > 0) return true;
  }
  return false;
}

Limits limits_of_policy(const HostRoot& host, const std::string& policy) {
  Limits limits{.setting = "cpu_khz",
                .low = policy + "/scaling_min_freq",
                .high = policy + "/scaling_max_freq",
                .least = number_in(host, policy + "/cpuinfo_min_freq"),
                .most = number_in(host, policy + "/cpuinfo_max_freq"),
                .steps = words_in(host, policy + "/scaling_available_frequencies")};
  if (!limits.steps.empty()) {
    std::ranges::move(words_in(host, policy + "/scaling_boost_frequencies"),
                      std::back_inserter(limits.steps));
  }
  return limits;
}

// Hertz, unlike cpufreq's kHz.
Limits limits_of_devfreq(const HostRoot& host, const std::string& setting,
                         const std::string& name) {
  const std::string device = std::string(kDevfreq) + "/" + name;
  return {.setting = setting,
          .low = device + "/min_freq",
          .high = device + "/max_freq",
          .steps = words_in(host, device + "/available_frequencies")};
}

// i915 and its like: MHz, between the hardware's own limits.
Limits limits_of_card(const HostRoot& host, const std::string& name) {
  const std::string card = std::string(kDrm) + "/" + name;
  return {.setting = "gpu_khz",
          .low = card + "/gt_min_freq_mhz",
          .high = card + "/gt_max_freq_mhz",
          .least = number_in(host, card + "/gt_RPn_freq_mhz"),
          .most = number_in(host, card + "/gt_RP0_freq_mhz")};
}

bool names_a_gpu(const std::string& device) {
  return device.find("gpu") != std::string::npos || device.find("mali") != std::string::npos;
}

}  // namespace

void add_governor(const HostRoot& host, const TuningSpec& spec, Changes& changes) {
  if (!spec.governor) return;
  const std::vector<std::string> all = policies(host);
  if (all.empty()) add_problem(changes, "governor", kPolicies, *spec.governor, kNoCpufreq);
  for (const std::string& policy : all) {
    const std::string file = policy + "/scaling_governor";
    const auto offered = words_in(host, policy + "/scaling_available_governors");
    if (!offered.empty() && std::ranges::find(offered, *spec.governor) == offered.end()) {
      add_problem(changes, "governor", file, *spec.governor,
                  "this kernel offers only: " + join(offered, ", "));
    } else {
      changes.push_back({.setting = "governor", .file = file, .value = *spec.governor});
    }
  }
}

void add_cpu_khz(const HostRoot& host, const TuningSpec& spec, Changes& changes) {
  if (!spec.cpu_khz) return;
  const std::string value = std::to_string(*spec.cpu_khz);
  const std::vector<std::string> all = policies(host);
  if (all.empty()) return add_problem(changes, "cpu_khz", kPolicies, value, kNoCpufreq);
  if (cpus_are_throttled(host)) {
    return add_problem(
        changes, "cpu_khz", kPolicies, value,
        "the CPUs are throttled by heat now, so that their own limits are not known");
  }
  for (const std::string& policy : all) {
    add_pin(host, limits_of_policy(host, policy), *spec.cpu_khz, changes);
  }
}

void add_idle_states(const HostRoot& host, const TuningSpec& spec, Changes& changes) {
  if (!spec.idle_states_disabled_over_us) return;
  constexpr char kSetting[] = "idle_states_disabled_over_us";
  constexpr char kCpus[] = "sys/devices/system/cpu";
  bool any = false;
  for (const std::string& cpu : entries_of(host, kCpus, "cpu")) {
    const std::string idle = std::string(kCpus) + "/" + cpu + "/cpuidle";
    for (const std::string& state : entries_of(host, idle, "state")) {
      const auto latency = number_in(host, idle + "/" + state + "/latency");
      if (!latency) continue;
      any = true;
      if (*latency <= *spec.idle_states_disabled_over_us) continue;
      changes.push_back(
          {.setting = kSetting, .file = idle + "/" + state + "/disable", .value = "1"});
    }
  }
  if (!any) {
    add_problem(changes, kSetting, kCpus, "1",
                "this machine's CPUs have no idle states (no cpuidle)");
  }
}

// Where there is neither (Raspberry Pi: gpu_freq and core_freq of config.txt), nothing in
// sysfs sets it.
void add_gpu_khz(const HostRoot& host, const TuningSpec& spec, Changes& changes) {
  if (!spec.gpu_khz) return;
  const size_t before = changes.size();
  for (const std::string& name : entries_of(host, kDevfreq, "")) {
    if (!names_a_gpu(name)) continue;
    add_pin(host, limits_of_devfreq(host, "gpu_khz", name), *spec.gpu_khz * 1000, changes);
  }
  for (const std::string& name : entries_of(host, kDrm, "card")) {
    const Limits limits = limits_of_card(host, name);
    if (limits.least) add_pin(host, limits, *spec.gpu_khz / 1000, changes);
  }
  if (changes.size() != before) return;
  add_problem(changes, "gpu_khz", kDevfreq, std::to_string(*spec.gpu_khz),
              "no file in sysfs sets the frequency of this machine's GPU; on a Raspberry Pi it is "
              "gpu_freq and core_freq of config.txt");
}

void add_devfreq_khz(const HostRoot& host, const TuningSpec& spec, Changes& changes) {
  const std::vector<std::string> all = entries_of(host, kDevfreq, "");
  for (const auto& [name, khz] : spec.devfreq_khz) {
    const std::string setting = "devfreq_khz " + name;
    if (std::ranges::find(all, name) != all.end()) {
      add_pin(host, limits_of_devfreq(host, setting, name), khz * 1000, changes);
      continue;
    }
    add_problem(changes, setting, kDevfreq, std::to_string(khz),
                all.empty() ? "this machine has no devfreq devices"
                            : "no such device; there are: " + join(all, ", "));
  }
}

}  // namespace rtsweep::tuning
