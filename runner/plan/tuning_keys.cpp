// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/tuning_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "runner/plan/index_list.h"
#include "runner/plan/words.h"

namespace rtsweep {
namespace {

using Refusal = std::optional<std::string>;

constexpr int kHighestCpu = 4095;
constexpr int64_t kHighestKhz = 100'000'000;

// drivers/cpufreq/Kconfig. For others there is `sysfs`.
const std::vector<std::string> kGovernors = {"performance", "powersave",    "schedutil",
                                             "ondemand",    "conservative", "userspace"};
const std::vector<std::string> kHugepages = {"always", "madvise", "never"};

Refusal set_word(std::optional<std::string>& member, std::string_view what, const std::string& text,
                 std::span<const std::string> right) {
  if (std::ranges::find(right, text) == right.end()) return unknown_word(what, text, right);
  member = text;
  return std::nullopt;
}

Refusal set_number(std::optional<int64_t>& member, const std::string& text, Range range) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return fmt::format("{} is no whole number", shown_word(text));
  }
  if (value < range.least || value > range.most) {
    return fmt::format("{} is not between {} and {}", value, range.least, range.most);
  }
  member = value;
  return std::nullopt;
}

Refusal set_switch(std::optional<bool>& member, const std::string& text) {
  if (text != "true" && text != "false") {
    return fmt::format("{} is neither true nor false", shown_word(text));
  }
  member = text == "true";
  return std::nullopt;
}

Refusal set_cpus(std::vector<int>& member, const std::string& text) {
  auto cpus = parse_index_list(text, kHighestCpu);
  if (!cpus) return cpus.error().message();
  member = *std::move(cpus);
  return std::nullopt;
}

constexpr TuningKey kKeys[] = {
    {"governor", "tuning.governor", "CPU frequency governor of all CPUs",
     "performance, powersave, schedutil, ondemand, conservative, userspace", "scaling_governor",
     [](TuningSpec& spec, const std::string& text) {
       return set_word(spec.governor, "governor", text, kGovernors);
     }},
    {"cpu_khz", "tuning.cpu_khz", "frequency of all CPUs: lowest and highest", "kHz",
     "scaling_min_freq, scaling_max_freq",
     [](TuningSpec& spec, const std::string& text) {
       return set_number(spec.cpu_khz, text, {1, kHighestKhz});
     }},
    {"idle_states_disabled_over_us", "tuning.idle_states_disabled_over_us",
     "idle states that are not entered, by their exit latency", "microseconds",
     "cpuidle/state*/disable",
     [](TuningSpec& spec, const std::string& text) {
       return set_number(spec.idle_states_disabled_over_us, text, {0, 10'000'000});
     }},
    {"cpu_dma_latency_us", "tuning.cpu_dma_latency_us", "longest wakeup that idle states may cost",
     "microseconds", "/dev/cpu_dma_latency",
     [](TuningSpec& spec, const std::string& text) {
       return set_number(spec.cpu_dma_latency_us, text, {0, 100'000'000});
     }},
    {"sched_rt_runtime_us", "tuning.sched_rt_runtime_us",
     "how long real-time tasks may run of every period", "microseconds; -1: as long as they want",
     "/proc/sys/kernel/sched_rt_runtime_us",
     [](TuningSpec& spec, const std::string& text) {
       return set_number(spec.sched_rt_runtime_us, text, {-1, 1'000'000'000});
     }},
    {"transparent_hugepages", "tuning.transparent_hugepages", "transparent hugepages",
     "always, madvise, never", "/sys/kernel/mm/transparent_hugepage/enabled",
     [](TuningSpec& spec, const std::string& text) {
       return set_word(spec.transparent_hugepages, "transparent_hugepages", text, kHugepages);
     }},
    {"numa_balancing", "tuning.numa_balancing", "moving of memory between NUMA nodes",
     "true, false", "/proc/sys/kernel/numa_balancing",
     [](TuningSpec& spec, const std::string& text) {
       return set_switch(spec.numa_balancing, text);
     }},
    {"nmi_watchdog", "tuning.nmi_watchdog", "the watchdog for hard lockups", "true, false",
     "/proc/sys/kernel/nmi_watchdog",
     [](TuningSpec& spec, const std::string& text) { return set_switch(spec.nmi_watchdog, text); }},
    {"ksm", "tuning.ksm", "merging of equal memory pages", "true, false", "/sys/kernel/mm/ksm/run",
     [](TuningSpec& spec, const std::string& text) { return set_switch(spec.ksm, text); }},
    {"timer_migration", "tuning.timer_migration", "timers that move to busy CPUs", "true, false",
     "/proc/sys/kernel/timer_migration",
     [](TuningSpec& spec, const std::string& text) {
       return set_switch(spec.timer_migration, text);
     }},
    {"irq_affinity", "tuning.irq_affinity", "CPUs that take the interrupts", "a list such as 0-1,3",
     "/proc/irq/*/smp_affinity_list",
     [](TuningSpec& spec, const std::string& text) { return set_cpus(spec.irq_affinity, text); }},
    {"gpu_khz", "tuning.gpu_khz", "frequency of the GPU: lowest and highest", "kHz",
     "/sys/class/devfreq, /sys/class/drm",
     [](TuningSpec& spec, const std::string& text) {
       return set_number(spec.gpu_khz, text, {1, kHighestKhz});
     }},
};

}  // namespace

std::span<const TuningKey> tuning_keys() { return kKeys; }

const TuningKey* find_tuning_key(std::string_view name) {
  const auto* found = std::ranges::find(kKeys, name, &TuningKey::name);
  return found == std::end(kKeys) ? nullptr : found;
}

std::vector<std::string> tuning_key_names() {
  std::vector<std::string> names;
  for (const TuningKey& key : kKeys) names.emplace_back(key.name);
  names.insert(names.end(), {"devfreq_khz", "stop_services", "sysfs", "sysctl"});
  return names;
}

}  // namespace rtsweep
