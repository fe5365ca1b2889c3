// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/task_scan.h"

#include <algorithm>
#include <optional>
#include <string>

#include "runner/base/text.h"
#include "runner/host/read_values.h"

namespace rtsweep {
namespace {

// proc(5): fields of /proc/PID/stat after the name, which may hold blanks and brackets;
// state is field 3 and comes first here.
constexpr size_t kFlags = 9 - 3;
constexpr size_t kRtPriority = 40 - 3;
constexpr size_t kPolicy = 41 - 3;

constexpr int64_t kKernelThread = 0x00200000;  // PF_KTHREAD of include/linux/sched.h

// include/uapi/linux/sched.h
std::string policy_name(int64_t policy) {
  switch (policy) {
    case 1:
      return "fifo";
    case 2:
      return "rr";
    case 6:
      return "deadline";
    default:
      return {};
  }
}

std::optional<RtTask> rt_task(std::string_view stat) {
  const size_t open = stat.find('(');
  const size_t close = stat.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  const std::vector<std::string> field = words(stat.substr(close + 1));
  if (field.size() <= kPolicy) return std::nullopt;
  const std::string policy = policy_name(number_in(field[kPolicy]).value_or(0));
  if (policy.empty()) return std::nullopt;
  return RtTask{.pid = static_cast<int>(number_in(trim(stat.substr(0, open))).value_or(0)),
                .name = std::string(stat.substr(open + 1, close - open - 1)),
                .policy = policy,
                .priority = static_cast<int>(number_in(field[kRtPriority]).value_or(0)),
                .kernel = (number_in(field[kFlags]).value_or(0) & kKernelThread) != 0};
}

void add_threads(const HostRoot& host, const std::string& process, std::vector<RtTask>& tasks) {
  const std::string directory = "proc/" + process + "/task";
  for (const std::string& thread : names_in(host, directory)) {
    if (auto task = rt_task(text_of(host, directory + "/" + thread + "/stat"))) {
      tasks.push_back(std::move(*task));
    }
  }
}

}  // namespace

std::vector<RtTask> rt_tasks(const HostRoot& host) {
  std::vector<RtTask> tasks;
  for (const std::string& name : names_in(host, "proc")) {
    if (number_in(name)) add_threads(host, name, tasks);
  }
  std::ranges::sort(tasks, {}, &RtTask::pid);
  return tasks;
}

}  // namespace rtsweep
