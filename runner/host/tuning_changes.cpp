// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/tuning_changes.h"

#include <algorithm>
#include <filesystem>

namespace rtsweep {
namespace tuning {
namespace {

namespace fs = std::filesystem;

bool is_there(const HostRoot& host, const std::string& file) {
  std::error_code ec;
  return fs::exists(host.path(file), ec);
}

// A single file that stands for the setting.
void add_file(const HostRoot& host, const std::string& setting, const std::string& file,
              const std::string& value, Changes& changes) {
  if (!is_there(host, file)) {
    return add_problem(changes, setting, file, value, "this kernel has no such file");
  }
  changes.push_back({.setting = setting, .file = file, .value = value});
}

// A feature with a switch. PREEMPT_RT kernels are built without transparent hugepages and
// NUMA balancing (mm/Kconfig, init/Kconfig): then it is off, as wanted.
void add_switch(const HostRoot& host, const std::string& setting, const std::string& file,
                const std::string& value, bool off, Changes& changes) {
  if (!off || is_there(host, file)) return add_file(host, setting, file, value, changes);
  changes.push_back({.setting = setting, .file = file, .value = value, .built_out = true});
}

void add_switch(const HostRoot& host, const std::string& setting, const std::string& file,
                const std::optional<bool>& on, Changes& changes) {
  if (on) add_switch(host, setting, file, *on ? "1" : "0", !*on, changes);
}

void add_kernel_settings(const HostRoot& host, const TuningSpec& spec, Changes& changes) {
  if (spec.sched_rt_runtime_us) {
    add_file(host, "sched_rt_runtime_us", "proc/sys/kernel/sched_rt_runtime_us",
             std::to_string(*spec.sched_rt_runtime_us), changes);
  }
  if (spec.transparent_hugepages) {
    add_switch(host, "transparent_hugepages", "sys/kernel/mm/transparent_hugepage/enabled",
               *spec.transparent_hugepages, *spec.transparent_hugepages == "never", changes);
  }
  add_switch(host, "numa_balancing", "proc/sys/kernel/numa_balancing", spec.numa_balancing,
             changes);
  add_switch(host, "nmi_watchdog", "proc/sys/kernel/nmi_watchdog", spec.nmi_watchdog, changes);
  add_switch(host, "ksm", "sys/kernel/mm/ksm/run", spec.ksm, changes);
  add_switch(host, "timer_migration", "proc/sys/kernel/timer_migration", spec.timer_migration,
             changes);
}

// Checked once more here: a spec may come from a file that nobody has checked.
void add_files_by_name(const HostRoot& host, const TuningSpec& spec, Changes& changes) {
  for (const auto& [path, value] : spec.sysfs) {
    const std::string setting = "sysfs " + path;
    if (const auto refusal = refuse_sysfs_path(path)) {
      add_problem(changes, setting, path, value, *refusal);
    } else {
      add_file(host, setting, path.substr(1), value, changes);
    }
  }
  for (const auto& [name, value] : spec.sysctl) {
    const std::string setting = "sysctl " + name;
    if (const auto refusal = refuse_sysctl_name(name)) {
      add_problem(changes, setting, name, value, *refusal);
    } else {
      add_file(host, setting, sysctl_file(name), value, changes);
    }
  }
}

}  // namespace

std::vector<std::string> entries_of(const HostRoot& host, const std::string& directory,
                                    std::string_view prefix) {
  std::vector<std::string> names;
  std::error_code ec;
  for (fs::directory_iterator it(host.path(directory), ec), end; !ec && it != end;
       it.increment(ec)) {
    std::string name = it->path().filename();
    if (name.starts_with(prefix)) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

void add_problem(Changes& changes, std::string setting, std::string file, std::string value,
                 std::string problem) {
  changes.push_back({.setting = std::move(setting),
                     .file = std::move(file),
                     .value = std::move(value),
                     .problem = std::move(problem)});
}

}  // namespace tuning

std::vector<TuningChange> tuning_changes(const HostRoot& host, const TuningSpec& spec) {
  tuning::Changes changes;
  tuning::add_governor(host, spec, changes);
  tuning::add_cpu_khz(host, spec, changes);
  tuning::add_idle_states(host, spec, changes);
  tuning::add_gpu_khz(host, spec, changes);
  tuning::add_devfreq_khz(host, spec, changes);
  tuning::add_kernel_settings(host, spec, changes);
  tuning::add_irq_affinity(host, spec, changes);
  tuning::add_files_by_name(host, spec, changes);
  return changes;
}

}  // namespace rtsweep
