// SPDX-License-Identifier: GPL-2.0-or-later

// Programs that compete with a measurement.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "runner/base/text.h"
#include "runner/host/machine_checks_parts.h"

namespace rtsweep::machine_checks {
namespace {

constexpr unsigned kKernelThread = 0x00200000;  // PF_KTHREAD, field 9 of /proc/PID/stat
constexpr size_t kMostShown = 20;

struct TaskStat {
  std::string name;
  unsigned flags = 0;
  int rt_priority = 0;
  int policy = 0;
};

int to_int(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Fields as in proc(5), counted behind the name, which may hold blanks and parentheses.
std::optional<TaskStat> parse_stat(std::string_view text) {
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  const std::vector<std::string> field = words(text.substr(close + 1));  // field[0] is number 3
  if (field.size() < 39) return std::nullopt;
  TaskStat stat{.name = std::string(text.substr(open + 1, close - open - 1)),
                .rt_priority = to_int(field[37]),
                .policy = to_int(field[38])};
  std::from_chars(field[6].data(), field[6].data() + field[6].size(), stat.flags);
  return stat;
}

// sched(7): SCHED_FIFO 1, SCHED_RR 2, SCHED_DEADLINE 6.
std::optional<std::string> rt_policy(int policy) {
  if (policy == 1) return "SCHED_FIFO";
  if (policy == 2) return "SCHED_RR";
  if (policy == 6) return "SCHED_DEADLINE";
  return std::nullopt;
}

bool is_number(const std::string& name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c); });
}

// The stat texts of all threads; of a captured tree without task/, of the processes.
void visit_threads(const HostRoot& host, const std::string& pid,
                   const std::function<void(const std::string&, const TaskStat&)>& visit) {
  const std::vector<std::string> threads = names_in(host, "proc/" + pid + "/task");
  for (const std::string& thread : threads.empty() ? std::vector{pid} : threads) {
    const std::string directory =
        threads.empty() ? "proc/" + pid : "proc/" + pid + "/task/" + thread;
    const auto text = text_of(host, directory + "/stat");
    if (!text) continue;  // it has ended
    if (const auto stat = parse_stat(*text)) visit(thread, *stat);
  }
}

}  // namespace

void read_tasks(const HostRoot& host, Observations& observed) {
  const std::vector<std::string> names = names_in(host, "proc");
  bool any = false;
  std::vector<Observation> competing;
  std::vector<Observation> irqbalance;
  for (const std::string& pid : names) {
    if (!is_number(pid)) continue;
    visit_threads(host, pid, [&](const std::string& thread, const TaskStat& stat) {
      any = true;
      if ((stat.flags & kKernelThread) != 0) return;
      if (stat.name == "irqbalance" && thread == pid) {
        irqbalance.push_back({pid, "process " + pid, "", 0});
      }
      const auto policy = rt_policy(stat.policy);
      if (!policy) return;
      const std::string priority = stat.policy == 6 ? "" : fmt::format(" {}", stat.rt_priority);
      competing.push_back(
          {std::to_string(stat.rt_priority),
           fmt::format("{} (thread {}): {}{}", stat.name, thread, *policy, priority),
           "/proc/" + pid + "/stat", 0});
    });
  }
  if (!any) return;
  if (competing.size() > kMostShown) competing.resize(kMostShown);
  observed["competing_rt_task"] = std::move(competing);
  observed["irqbalance"] = std::move(irqbalance);
}

}  // namespace rtsweep::machine_checks
