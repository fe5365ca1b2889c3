// SPDX-License-Identifier: GPL-2.0-or-later

// Programs that compete with a measurement.

#include <fmt/format.h>

#include <algorithm>

#include "runner/host/machine_checks_parts.h"
#include "runner/host/task_scan.h"

namespace rtsweep::machine_checks {
namespace {

constexpr size_t kMostShown = 20;

// sched(7)
std::string policy_text(const RtTask& task) {
  if (task.policy == "deadline") return "SCHED_DEADLINE";
  return fmt::format("{} {}", task.policy == "rr" ? "SCHED_RR" : "SCHED_FIFO", task.priority);
}

}  // namespace

// The kernel's own threads are part of it: interrupt threads, migration, watchdogs.
void read_tasks(const HostRoot& host, Observations& observed) {
  std::vector<std::string> processes = names_in(host, "proc");
  std::erase_if(processes, [&](const std::string& name) {
    return !number_in(name) || names_in(host, "proc/" + name + "/task").empty();
  });
  if (processes.empty()) return;
  auto& competing = observed["competing_rt_task"];
  for (const RtTask& task : rt_tasks(host)) {
    if (task.kernel || competing.size() == kMostShown) continue;
    competing.push_back({std::to_string(task.priority),
                         fmt::format("{} (thread {}): {}", task.name, task.pid, policy_text(task)),
                         "", 0});
  }
  auto& irqbalance = observed["irqbalance"];
  for (const std::string& pid : processes) {
    if (text_of(host, "proc/" + pid + "/comm") != "irqbalance") continue;
    irqbalance.push_back({pid, "process " + pid, "", 0});
  }
}

}  // namespace rtsweep::machine_checks
