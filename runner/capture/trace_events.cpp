// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/trace_events.h"

#include <algorithm>
#include <filesystem>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

struct Event {
  std::string system;
  std::string name;  // empty: the whole system
};

// What attribution reads: who runs, which interrupts and softirqs, when timers expire and run,
// idle states, frequency, work items, locks, sections with interrupts or preemption off.
// Systems that only some kernels have: irq_vectors (x86), ipi (ARM; x86 since 6.4), lock
// (contention_* since 5.19), preemptirq (CONFIG_PREEMPTIRQ_TRACEPOINTS).
const std::vector<Event>& our_events() {
  static const std::vector<Event> kEvents = {
      {"sched", "sched_switch"},
      {"sched", "sched_waking"},
      {"sched", "sched_wakeup"},
      {"sched", "sched_wakeup_new"},
      {"sched", "sched_migrate_task"},
      {"sched", "sched_pi_setprio"},
      {"irq", ""},
      {"irq_vectors", ""},
      {"ipi", ""},
      {"timer", "hrtimer_start"},
      {"timer", "hrtimer_cancel"},
      {"timer", "hrtimer_expire_entry"},
      {"timer", "hrtimer_expire_exit"},
      {"timer", "timer_expire_entry"},
      {"timer", "timer_expire_exit"},
      {"workqueue", "workqueue_execute_start"},
      {"workqueue", "workqueue_execute_end"},
      {"power", "cpu_idle"},
      {"power", "cpu_frequency"},
      {"preemptirq", ""},
      {"lock", "contention_begin"},
      {"lock", "contention_end"},
  };
  return kEvents;
}

// "net:netif_rx", "net/netif_rx" or "net".
Event parse_event(std::string text) {
  std::ranges::replace(text, ':', '/');
  const size_t slash = text.find('/');
  if (slash == std::string::npos) return {text, ""};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

std::string path_of(const Event& event) {
  return "events/" + event.system + (event.name.empty() ? "" : "/" + event.name);
}

std::vector<std::string> names_of(const TraceInstance& trace, const Event& event) {
  if (!event.name.empty()) return {event.system + "/" + event.name};
  std::vector<std::string> names;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(trace.directory() / path_of(event), ec)) {
    if (entry.is_directory(ec))
      names.push_back(event.system + "/" + entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

Result<void> enable(const TraceInstance& trace, const Event& event, TracedEvents& traced) {
  RTSWEEP_CHECK_OK(trace.write(path_of(event) + "/enable", "1"));
  for (std::string& name : names_of(trace, event)) {
    if (std::ranges::find(traced.enabled, name) == traced.enabled.end()) {
      traced.enabled.push_back(std::move(name));
    }
  }
  return {};
}

Result<void> trace_functions(const TraceInstance& trace, const CaptureSpec& spec) {
  RTSWEEP_CHECK_OK(trace.write("set_ftrace_filter", join(spec.functions, " ")));
  return trace.write("current_tracer", "function_graph");
}

}  // namespace

Result<TracedEvents> enable_events(const TraceInstance& trace, const CaptureSpec& spec) {
  TracedEvents traced;
  for (const Event& event : our_events()) {
    if (trace.has(path_of(event))) {
      RTSWEEP_CHECK_OK(enable(trace, event, traced));
    } else {
      traced.missing.push_back(event.system + (event.name.empty() ? "" : "/" + event.name));
    }
  }
  for (const std::string& name : spec.events) {
    const Event event = parse_event(name);
    if (!trace.has(path_of(event))) {
      return Error(Errc::kNotSupported, "this kernel has no trace event '" + name + "'");
    }
    RTSWEEP_CHECK_OK(enable(trace, event, traced));
  }
  if (!spec.functions.empty()) RTSWEEP_CHECK_OK(trace_functions(trace, spec));
  return traced;
}

}  // namespace rtsweep
