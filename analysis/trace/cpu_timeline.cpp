// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/cpu_timeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/trace/scan.h"
#include "analysis/trace/softirq_names.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

// cpu_idle's state when the CPU leaves idle: PWR_EVENT_EXIT, (u32)-1.
constexpr int64_t kIdleExit = 4'294'967'295;

// Vectors of the x86 irq_vectors events and Arm's inter-processor interrupts.
constexpr std::string_view kVectors[] = {
    "local_timer",  "reschedule",       "call_function",       "call_function_single",
    "irq_work",     "x86_platform_ipi", "spurious_apic",       "error_apic",
    "thermal_apic", "threshold_apic",   "deferred_error_apic", "ipi"};

std::string_view vector_of(std::string_view name, std::string_view end) {
  if (!name.ends_with(end)) return {};
  name.remove_suffix(end.size());
  return std::ranges::find(kVectors, name) == std::end(kVectors) ? std::string_view{} : name;
}

std::string behind(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  return at == std::string_view::npos ? std::string()
                                      : std::string(trim(text.substr(at + key.size())));
}

// "caller=_raw_spin_lock+0x1d/0x30 parent=foo+0x12/0x40" as "_raw_spin_lock <- foo".
std::string caller_text(std::string_view text) {
  const auto bare = [](std::string_view function) {
    return function.substr(0, function.find('+'));
  };
  const std::string_view caller = bare(field(text, "caller"));
  const std::string_view parent = bare(field(text, "parent"));
  return parent.empty() ? std::string(caller) : fmt::format("{} <- {}", caller, parent);
}

class TimelineBuilder {
 public:
  explicit TimelineBuilder(int cpu) { timeline_.cpu = cpu; }

  void add(const TraceEvent& event, bool after_loss) {
    if (timeline_.events.empty()) {
      start_ = event.time_ns;
      begin_task(event);
    } else if (after_loss) {
      close_all(timeline_.events.back()->time_ns);
      start_ = event.time_ns;
      begin_task(event);
    } else {
      guess_from_flags(*timeline_.events.back(), event);
    }
    timeline_.events.push_back(&event);
    interrupt(event);
    softirq(event);
    disabled(event);
    noise(event);
    idle(event);
    if (is_switch(event)) change_task(event);
  }

  CpuTimeline take() {
    if (!timeline_.events.empty()) timeline_.last_ns = timeline_.events.back()->time_ns;
    if (!timeline_.events.empty()) close_all(timeline_.last_ns);
    return std::move(timeline_);
  }

 private:
  static void begin(std::vector<Activity>& open, ActivityKind kind, std::string who,
                    const TraceEvent& event) {
    open.push_back(
        {.kind = kind, .begin_ns = event.time_ns, .who = std::move(who), .begin_line = event.line});
  }

  // The innermost open one; without it, it was there before the first event.
  void end(std::vector<Activity>& open, ActivityKind kind, std::string who,
           const TraceEvent& event) {
    Activity activity{.kind = kind, .begin_ns = start_, .who = std::move(who)};
    if (!open.empty()) {
      activity = open.back();
      open.pop_back();
    }
    activity.end_ns = event.time_ns;
    activity.end_line = event.line;
    timeline_.activities.push_back(std::move(activity));
  }

  void interrupt(const TraceEvent& event) {
    const std::string_view entry = vector_of(event.name, "_entry");
    const std::string_view exit = vector_of(event.name, "_exit");
    if (event.name == "irq_handler_entry") {
      const std::string name = behind(event.text, "name=");
      begin(hard_, ActivityKind::kHardIrq, fmt::format("irq {} {}", field(event.text, "irq"), name),
            event);
    } else if (event.name == "irq_handler_exit") {
      end(hard_, ActivityKind::kHardIrq, fmt::format("irq {}", field(event.text, "irq")), event);
    } else if (!entry.empty()) {
      const std::string reason = entry == "ipi" ? " " + event.text : "";
      begin(hard_, ActivityKind::kHardIrq, std::string(entry) + reason, event);
    } else if (!exit.empty()) {
      end(hard_, ActivityKind::kHardIrq, std::string(exit), event);
    } else if (event.name == "nmi_handler") {
      nmi(event);
    } else {
      expiring_timer(event);
    }
  }

  // "nmi_handler: perf_event_nmi_handler() delta_ns: 4500 handled: 1", printed at its end.
  void nmi(const TraceEvent& event) {
    const std::string delta = behind(event.text, "delta_ns:");
    std::string_view rest = delta;
    const auto ns = scan::natural(rest);
    if (!ns) return;
    timeline_.activities.push_back({.kind = ActivityKind::kHardIrq,
                                    .begin_ns = event.time_ns - static_cast<int64_t>(*ns),
                                    .end_ns = event.time_ns,
                                    .who = "NMI " + event.text.substr(0, event.text.find('(')),
                                    .end_line = event.line});
  }

  // Where the interrupt itself is not traced, a timer's callback shows that it runs.
  void expiring_timer(const TraceEvent& event) {
    const bool entry = event.name == "hrtimer_expire_entry";
    if (!entry && event.name != "hrtimer_expire_exit") return;
    if (!event.flags.empty() && !event.in_hardirq()) return;  // expires in a softirq
    if (entry && hard_.empty()) {
      begin(hard_, ActivityKind::kHardIrq, "timer", event);
      hard_.back().guessed = true;
    } else if (!entry && !hard_.empty() && hard_.back().guessed) {
      end(hard_, ActivityKind::kHardIrq, "timer", event);
    }
  }

  void softirq(const TraceEvent& event) {
    const bool entry = event.name == "softirq_entry";
    if (!entry && event.name != "softirq_exit") return;
    std::string name;
    if (const auto vector = number_field(event.text, "vec")) name = softirq_name(*vector);
    if (entry) begin(soft_, ActivityKind::kSoftirq, name, event);
    if (!entry) end(soft_, ActivityKind::kSoftirq, name, event);
  }

  void disabled(const TraceEvent& event) {
    if (event.name == "irq_disable") {
      begin(irqs_off_, ActivityKind::kIrqsOff, caller_text(event.text), event);
    } else if (event.name == "irq_enable") {
      end(irqs_off_, ActivityKind::kIrqsOff, "", event);
    } else if (event.name == "preempt_disable") {
      begin(preempt_off_, ActivityKind::kPreemptOff, caller_text(event.text), event);
    } else if (event.name == "preempt_enable") {
      end(preempt_off_, ActivityKind::kPreemptOff, "", event);
    }
  }

  // "local_timer:236 start 5789.857529929 duration 1845 ns", printed at its end.
  void noise(const TraceEvent& event) {
    if (!event.name.ends_with("_noise")) return;
    const std::string start = behind(event.text, "start ");
    const std::string duration = behind(event.text, "duration ");
    std::string_view start_rest = start;
    std::string_view duration_rest = duration;
    const auto begin_ns = scan::seconds(start_rest);
    const auto length = scan::natural(duration_rest);
    if (!begin_ns || !length || *begin_ns > event.time_ns) return;
    Activity activity{.begin_ns = *begin_ns,
                      .end_ns = *begin_ns + static_cast<int64_t>(*length),
                      .who = std::string(trim(event.text.substr(0, event.text.find("start ")))),
                      .end_line = event.line};
    if (event.name == "thread_noise") {
      add_thread_noise(std::move(activity), event);
      return;
    }
    activity.kind = event.name == "softirq_noise" ? ActivityKind::kSoftirq : ActivityKind::kHardIrq;
    if (event.name == "nmi_noise") activity.who = "NMI";
    if (activity.kind == ActivityKind::kSoftirq) {
      activity.who = activity.who.substr(0, activity.who.find(':'));
    }
    timeline_.activities.push_back(std::move(activity));
  }

  // The duration leaves out the interrupts in between: the thread ran up to the event.
  void add_thread_noise(Activity activity, const TraceEvent& event) {
    activity.kind = ActivityKind::kTask;
    activity.end_ns = event.time_ns;
    const size_t colon = activity.who.rfind(':');
    activity.task.comm = activity.who.substr(0, colon);
    if (colon != std::string::npos) {
      std::string_view pid = std::string_view(activity.who).substr(colon + 1);
      activity.task.pid = scan::integer(pid).value_or(-1);
    }
    activity.who.clear();
    timeline_.activities.push_back(std::move(activity));
  }

  void idle(const TraceEvent& event) {
    if (event.name != "cpu_idle") return;
    const auto state = number_field(event.text, "state");
    const auto cpu = number_field(event.text, "cpu_id");
    if (!state || (cpu && *cpu != timeline_.cpu)) return;
    if (*state == kIdleExit || *state < 0) {
      end(idle_, ActivityKind::kIdle, "", event);
    } else if (idle_.empty()) {
      begin(idle_, ActivityKind::kIdle, fmt::format("state {}", *state), event);
    }
  }

  // The columns of an event say whom it interrupted, not who it is.
  void begin_task(const TraceEvent& event) {
    current_ = Activity{.kind = ActivityKind::kTask, .begin_ns = event.time_ns};
    current_.task.comm = event.pid == 0 ? "swapper/" + std::to_string(event.cpu) : event.comm;
    current_.task.pid = event.pid;
  }

  void change_task(const TraceEvent& event) {
    const auto change = sched_switch(event);
    if (!change) return;
    // No interrupt lasts across a switch: its exit is not traced.
    while (!hard_.empty()) end(hard_, ActivityKind::kHardIrq, "", event);
    if (current_.task.pid >= 0 && change->prev.pid >= 0 && current_.task.pid != change->prev.pid) {
      timeline_.contradictions.push_back(
          {event.line, fmt::format("sched_switch from {}, while {} was running",
                                   task_text(change->prev), task_text(current_.task))});
    }
    current_.task = change->prev;
    current_.left_as = change->prev_state;
    current_.end_ns = event.time_ns;
    current_.end_line = event.line;
    timeline_.activities.push_back(current_);
    current_ = {.kind = ActivityKind::kTask,
                .begin_ns = event.time_ns,
                .task = change->next,
                .begin_line = event.line};
  }

  void guess_from_flags(const TraceEvent& before, const TraceEvent& now) {
    if (hard_.empty() && before.in_hardirq() && now.in_hardirq()) {
      add_guess(ActivityKind::kHardIrq, before, now);
    }
    if (soft_.empty() && before.in_softirq() && now.in_softirq()) {
      add_guess(ActivityKind::kSoftirq, before, now);
    }
    // Scheduler, timer and interrupt events are written with interrupts off by themselves.
    const bool tells = before.name == "function" || before.name == "print" ||
                       before.name == "bprint" || before.name == "tracing_mark_write";
    if (irqs_off_.empty() && tells && before.irqs_off() && now.irqs_off() && !before.in_hardirq() &&
        !now.in_hardirq()) {
      add_guess(ActivityKind::kIrqsOff, before, now);
    }
  }

  // Goes on with the guess that ended at `before`, or begins one.
  void add_guess(ActivityKind kind, const TraceEvent& before, const TraceEvent& now) {
    for (size_t i = timeline_.activities.size(); i-- > 0 && i + 3 >= timeline_.activities.size();) {
      Activity& last = timeline_.activities[i];
      if (last.guessed && last.kind == kind && last.end_line == before.line) {
        last.end_ns = now.time_ns;
        last.end_line = now.line;
        return;
      }
    }
    timeline_.activities.push_back({.kind = kind,
                                    .begin_ns = before.time_ns,
                                    .end_ns = now.time_ns,
                                    .begin_line = before.line,
                                    .end_line = now.line,
                                    .guessed = true});
  }

  void close_all(int64_t time_ns) {
    for (auto* open : {&hard_, &soft_, &irqs_off_, &preempt_off_, &idle_}) {
      for (Activity& activity : *open) {
        activity.end_ns = time_ns;
        timeline_.activities.push_back(activity);
      }
      open->clear();
    }
    current_.end_ns = time_ns;
    timeline_.activities.push_back(current_);
  }

  CpuTimeline timeline_;
  int64_t start_ = 0;  // of what is known without a gap
  std::vector<Activity> hard_, soft_, irqs_off_, preempt_off_, idle_;
  Activity current_;
};

}  // namespace

bool is_timer_interrupt(const std::string& who) {
  return who.find("timer") != std::string::npos || who.find("hpet") != std::string::npos;
}

CpuTimeline cpu_timeline(const Trace& trace, int cpu) {
  std::vector<const TraceEvent*> events;
  for (const TraceEvent& event : trace.events) {
    if (event.cpu == cpu) events.push_back(&event);
  }
  TimelineBuilder builder(cpu);
  auto lost = trace.lost.begin();
  for (const TraceEvent* event : events) {
    bool loss = false;
    for (; lost != trace.lost.end() && lost->line < event->line; ++lost) loss |= lost->cpu == cpu;
    builder.add(*event, loss);
  }
  return builder.take();
}

}  // namespace rtsweep
