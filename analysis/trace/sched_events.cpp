// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/sched_events.h"

#include <fmt/format.h>

#include "analysis/trace/scan.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

std::optional<int> small_number(std::string_view text) {
  const auto value = scan::integer(text);
  if (!value || *value < -1'000'000 || *value > 1'000'000) return std::nullopt;
  return static_cast<int>(*value);
}

// What stands between "comm=" and " pid=": the comm may hold blanks.
std::optional<TaskRef> named_task(std::string_view text, const std::string& prefix) {
  const std::string comm_key = prefix + "comm=";
  const std::string pid_key = " " + prefix + "pid=";
  const size_t comm = text.find(comm_key);
  const size_t pid = text.find(pid_key);
  if (comm == std::string_view::npos || pid == std::string_view::npos || pid < comm) {
    return std::nullopt;
  }
  const size_t begin = comm + comm_key.size();
  if (pid < begin) return std::nullopt;
  TaskRef task{.comm = std::string(text.substr(begin, pid - begin))};
  std::string_view number = text.substr(pid + pid_key.size());
  const auto value = scan::integer(number);
  if (!value) return std::nullopt;
  task.pid = *value;
  task.priority = small_number(field(text, prefix + "prio"));
  return task;
}

// "idle_inject/4:37 [49]", "ksoftirqd/4": trace-cmd's form.
std::optional<TaskRef> short_task(std::string_view text) {
  text = trim(text);
  TaskRef task;
  if (const size_t bracket = text.rfind('['); bracket != std::string_view::npos) {
    task.priority = small_number(text.substr(bracket + 1));
    text = trim(text.substr(0, bracket));
  }
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    std::string_view number = text.substr(colon + 1);
    const auto pid = scan::integer(number);
    if (pid && number.empty()) {
      task.pid = *pid;
      text = text.substr(0, colon);
    }
  }
  if (text.empty()) return std::nullopt;
  task.comm = text;
  return task;
}

// "R+", "S", "D|W": letters of the state, as the kernel and trace-cmd print them.
bool is_state(std::string_view text) {
  return !text.empty() && text.size() <= 12 &&
         text.find_first_not_of("RSDTtXZPIKWNxp+|0123456789abcdef") == std::string_view::npos;
}

std::optional<SchedSwitch> named_switch(std::string_view text) {
  const size_t arrow = text.find(" ==> ");
  if (arrow == std::string_view::npos) return std::nullopt;
  auto prev = named_task(text.substr(0, arrow), "prev_");
  auto next = named_task(text.substr(arrow), "next_");
  const std::string_view state = field(text, "prev_state");
  if (!prev || !next || !is_state(state)) return std::nullopt;
  return SchedSwitch{std::move(*prev), std::string(state), std::move(*next)};
}

// "swapper/4:0 [120] R ==> idle_inject/4:37 [49]"
std::optional<SchedSwitch> short_switch(std::string_view text) {
  const size_t arrow = text.find(" ==> ");
  if (arrow == std::string_view::npos) return std::nullopt;
  const std::string_view left = trim(text.substr(0, arrow));
  const size_t blank = left.rfind(' ');
  if (blank == std::string_view::npos || !is_state(left.substr(blank + 1))) return std::nullopt;
  auto prev = short_task(left.substr(0, blank));
  auto next = short_task(text.substr(arrow + 5));
  if (!prev || !next) return std::nullopt;
  return SchedSwitch{std::move(*prev), std::string(left.substr(blank + 1)), std::move(*next)};
}

// "2389: 94:R sleep" of the wakeup tracers; the comm may be missing.
std::optional<TaskRef> tracer_task(std::string_view text, std::string* state) {
  text = trim(text);
  const auto pid = scan::integer(text);
  if (!pid || !scan::literal(text, ":")) return std::nullopt;
  scan::blanks(text);
  TaskRef task{.pid = *pid};
  const auto priority = scan::integer(text);
  if (!priority || *priority < -1 || *priority > 1'000 || !scan::literal(text, ":")) {
    return std::nullopt;
  }
  task.priority = static_cast<int>(*priority);
  const std::string_view letter = scan::word(text);
  if (state != nullptr) *state = letter;
  task.comm = trim(text);
  return task;
}

// "0:120:R ==> [003]  2389: 94:R sleep"; the CPU is the one that the task wakes on.
std::optional<SchedSwitch> tracer_switch(std::string_view text) {
  const size_t arrow = text.find(" ==> [");
  const size_t close = text.find(']', arrow == std::string_view::npos ? 0 : arrow);
  if (arrow == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  SchedSwitch change;
  auto prev = tracer_task(text.substr(0, arrow), &change.prev_state);
  auto next = tracer_task(text.substr(close + 1), nullptr);
  if (!prev || !next) return std::nullopt;
  change.prev = std::move(*prev);
  change.next = std::move(*next);
  return change;
}

std::optional<SchedWakeup> tracer_wakeup(std::string_view text) {
  const size_t plus = text.find(" + [");
  const size_t close = text.find(']', plus == std::string_view::npos ? 0 : plus);
  if (plus == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  auto task = tracer_task(text.substr(close + 1), nullptr);
  if (!task) return std::nullopt;
  return SchedWakeup{std::move(*task), small_number(text.substr(plus + 4))};
}

// "kworker/3:1:54 [120] success=1 CPU:003"
std::optional<SchedWakeup> short_wakeup(std::string_view text) {
  SchedWakeup wakeup;
  if (const size_t cpu = text.find("CPU:"); cpu != std::string_view::npos) {
    wakeup.target_cpu = small_number(text.substr(cpu + 4));
    text = trim(text.substr(0, cpu));
  }
  text = trim(text.substr(0, text.find("success=")));
  auto task = short_task(text);
  if (!task || task->comm.find('=') != std::string::npos) return std::nullopt;
  wakeup.task = std::move(*task);
  return wakeup;
}

}  // namespace

bool TaskRef::same_thread(const TaskRef& other) const {
  if (pid >= 0 && other.pid >= 0) return pid == other.pid;
  return comm == other.comm;
}

std::string priority_text(int priority) {
  if (priority < 0) return "SCHED_DEADLINE";
  if (priority < 100) return fmt::format("RT priority {}", 99 - priority);
  return fmt::format("nice {}", priority - 120);
}

std::string task_text(const TaskRef& task) {
  if (task.is_idle()) return "the idle task";
  std::string text = task.comm.empty() ? "pid" : task.comm;
  if (task.pid >= 0) text += fmt::format("-{}", task.pid);
  if (task.priority) text += fmt::format(" ({})", priority_text(*task.priority));
  return text;
}

bool is_switch(const TraceEvent& event) {
  return event.name == "sched_switch" || event.name == "context_switch";
}

bool is_wakeup(const TraceEvent& event) {
  return event.name == "sched_waking" || event.name == "sched_wakeup" ||
         event.name == "sched_wakeup_new" || event.name == "wakeup";
}

std::optional<SchedSwitch> sched_switch(const TraceEvent& event) {
  if (event.name == "context_switch") return tracer_switch(event.text);
  if (event.name != "sched_switch") return std::nullopt;
  if (auto change = named_switch(event.text)) return change;
  return short_switch(event.text);
}

std::optional<SchedWakeup> sched_wakeup(const TraceEvent& event) {
  if (event.name == "wakeup") return tracer_wakeup(event.text);
  if (!is_wakeup(event)) return std::nullopt;
  if (auto task = named_task(event.text, "")) {
    return SchedWakeup{std::move(*task), small_number(field(event.text, "target_cpu"))};
  }
  return short_wakeup(event.text);
}

}  // namespace rtsweep
