// SPDX-License-Identifier: GPL-2.0-or-later

// What happened while the probe measured, by the kernel's counters and messages.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/reason_catalogue.h"
#include "analysis/trial_check_parts.h"

namespace rtsweep::checks {
namespace {

// Clocks are read one after the other, and NTP may slew one of them by 500 ppm.
constexpr double kClockTolerance_s = 0.05;
constexpr double kClockDrift = 0.001;

// A suspended machine sleeps for seconds.
constexpr double kSuspended_s = 0.1;

// A CPU that is pinned to one frequency reads as that frequency, give or take rounding.
constexpr double kFrequencyTolerance = 0.02;

// How much the suite itself may do while the probe measures: start it, and look once a
// second whether it is to stop. More than this would be part of what is measured.
constexpr double kObserverShare = 0.01;
constexpr double kObserverStart_s = 0.05;
constexpr double kObserverSwitchesPerSecond = 20;
constexpr double kObserverStartSwitches = 200;

// vcgencmd get_throttled: what is so now, and the same 16 bits higher: has been so since boot.
constexpr uint64_t kUnderVoltage = 1;
constexpr uint64_t kSlowed = 0b1110;  // frequency capped, throttled, soft temperature limit

// The counter's growth from one moment to the other; nothing if unknown or reset.
std::optional<uint64_t> growth(const std::optional<uint64_t>& begin,
                               const std::optional<uint64_t>& end) {
  if (!begin || !end || *end < *begin) return std::nullopt;
  return *end - *begin;
}

// The bits that were so at either end, or came to be so in between.
uint64_t seen_bits(const Counters& begin, const Counters& end) {
  const uint64_t before = begin.throttled_bits.value_or(0);
  const uint64_t after = end.throttled_bits.value_or(0);
  return (before & 0xf) | (after & 0xf) | ((after & ~before) >> 16 & 0xf);
}

bool is_said(const TrialEvidence& evidence, std::string_view words) {
  return std::ranges::any_of(evidence.kernel_log, [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

class CounterChecks {
 public:
  CounterChecks(const TrialEvidence& evidence, Reasons& reasons)
      : evidence_(evidence),
        begin_(evidence.counters->begin),
        end_(evidence.counters->end),
        reasons_(reasons) {}

  void check_clocks() {
    if (!begin_.monotonic_s || !end_.monotonic_s) return;
    const double passed = *end_.monotonic_s - *begin_.monotonic_s;
    if (begin_.boottime_s && end_.boottime_s) {
      const double asleep = *end_.boottime_s - *begin_.boottime_s - passed;
      if (asleep > kSuspended_s) {
        add("host_suspended", fmt::format("the machine was suspended for {:.1f} s", asleep));
      }
    }
    if (begin_.realtime_s && end_.realtime_s) {
      const double step = *end_.realtime_s - *begin_.realtime_s - passed;
      if (std::abs(step) > kClockTolerance_s + kClockDrift * passed) {
        add("clock_jump", fmt::format("the wall clock was set by {:+.1f} s", step));
      }
    }
  }

  void check_power() {
    const uint64_t bits = seen_bits(begin_, end_);
    if ((bits & kUnderVoltage) != 0 || end_.under_voltage == true ||
        is_said(evidence_, "nder-voltage detected") || is_said(evidence_, "ndervoltage detected")) {
      add("under_voltage", "the supply voltage was too low");
    }
    if ((bits & kSlowed) != 0) {
      add("throttled", fmt::format("the firmware slowed the machine down (get_throttled {:#x})",
                                   end_.throttled_bits.value_or(0)));
    } else if (const auto by = throttled_by()) {
      add("throttled", *by);
    }
  }

  void check_frequency() {
    if (!evidence_.before) return;
    for (const auto& [cpu, limits] : evidence_.before->frequency_limits) {
      if (!limits.min_khz || limits.min_khz != limits.max_khz) continue;
      for (const Counters* moment : {&begin_, &end_}) {
        const auto counter = moment->cpus.find(cpu);
        if (counter == moment->cpus.end() || !counter->second.khz) continue;
        const auto pinned = static_cast<double>(*limits.min_khz);
        const auto khz = static_cast<double>(*counter->second.khz);
        if (std::abs(khz - pinned) <= kFrequencyTolerance * pinned) continue;
        return add(
            "frequency_changed",
            fmt::format("CPU {} is pinned to {:.0f} kHz and ran at {:.0f}", cpu, pinned, khz));
      }
    }
  }

  void check_lost_time() {
    report_per_cpu("hypervisor_steal", &CpuCounters::steal_ms,
                   "CPU {} was taken away by the hypervisor for {} ms");
    report_per_cpu("smi_seen", &CpuCounters::smis,
                   "CPU {} was interrupted {} time(s) by the firmware (SMI)");
  }

  // The probe's own threads are gone at both moments.
  void check_rt_tasks() {
    for (const Counters* moment : {&begin_, &end_}) {
      for (const RtTask& task : moment->rt_tasks) {
        const bool above = task.policy == "deadline" || task.priority >= evidence_.planned.priority;
        if (task.kernel || !above) continue;
        return add("competing_rt_task",
                   fmt::format("{} (pid {}) runs at {} priority {}, the probe at {}", task.name,
                               task.pid, task.policy, task.priority, evidence_.planned.priority));
      }
    }
  }

  void check_taint() {
    const int64_t before = begin_.tainted.value_or(0);
    const int64_t after = end_.tainted.value_or(before);
    if ((after & ~before) != 0) {
      add("tainted", fmt::format("the kernel's taint went from {} to {}", before, after));
    } else if (before != 0) {
      add("tainted", fmt::format("the kernel is tainted ({})", before));
    }
  }

  void check_trace() {
    // Nobody traced at the beginning: all of them are of this measurement.
    const std::optional<uint64_t> before = begin_.trace_lost_events.value_or(0);
    const auto lost = growth(before, end_.trace_lost_events);
    if (lost.value_or(0) == 0) return;
    add("trace_lost_events", fmt::format("ftrace lost {} event(s)", *lost));
  }

  void check_observer() {
    const auto& cost = evidence_.counters->observer;
    if (!cost) return;
    const auto switches = static_cast<double>(cost->switches + cost->preemptions);
    if (cost->cpu_s <= kObserverStart_s + kObserverShare * cost->wall_s &&
        switches <= kObserverStartSwitches + kObserverSwitchesPerSecond * cost->wall_s) {
      return;
    }
    add("observer_cost",
        fmt::format(
            "rtsweep itself used {:.3f} s of CPU time and {:.0f} context switches in {:.0f} s",
            cost->cpu_s, switches, cost->wall_s));
  }

 private:
  void add(std::string_view code, std::string_view what) {
    reasons_.push_back(make_reason(code, what));
  }

  std::optional<std::string> throttled_by() const {
    for (const auto& [cpu, counter] : end_.cpus) {
      const auto before = begin_.cpus.find(cpu);
      if (before == begin_.cpus.end()) continue;
      const auto times = growth(before->second.thermal_throttles, counter.thermal_throttles);
      if (times.value_or(0) > 0) return fmt::format("CPU {} got too hot {} time(s)", cpu, *times);
    }
    for (const auto& [device, state] : end_.cooling) {
      if (slows_cpus(device)) return fmt::format("cooling device {} was at {}", device, state);
    }
    if (is_said(evidence_, "clock throttled")) return "the kernel says that a clock was throttled";
    return std::nullopt;
  }

  // A fan is a cooling device too, and harmless.
  static bool slows_cpus(const std::string& device) {
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"cpufreq", "cpu-", "Processor", "powerclamp",
                                                "thermal-idle"},
        [&](std::string_view kind) { return device.find(kind) != std::string::npos; });
  }

  void report_per_cpu(std::string_view code, std::optional<uint64_t> CpuCounters::*counter,
                      fmt::format_string<const int&, const uint64_t&> what) {
    for (const auto& [cpu, end] : end_.cpus) {
      const auto begin = begin_.cpus.find(cpu);
      if (begin == begin_.cpus.end()) continue;
      const auto grown = growth(begin->second.*counter, end.*counter);
      if (grown.value_or(0) > 0) return add(code, fmt::format(what, cpu, *grown));
    }
  }

  const TrialEvidence& evidence_;
  const Counters& begin_;
  const Counters& end_;
  Reasons& reasons_;
};

}  // namespace

void check_counters(const TrialEvidence& evidence, Reasons& reasons) {
  if (!evidence.counters) return;
  CounterChecks checks(evidence, reasons);
  checks.check_clocks();
  checks.check_power();
  checks.check_frequency();
  checks.check_lost_time();
  checks.check_rt_tasks();
  checks.check_observer();
  checks.check_trace();
  checks.check_taint();
}

// A VM whose clock runs on while it stands still.
void check_host(const TrialEvidence& evidence, Reasons& reasons) {
  constexpr double kWaitShare = 0.05;
  if (evidence.paused_s.value_or(0) > 0) {
    reasons.push_back(make_reason(
        "guest_paused", fmt::format("the VM was stopped for {:.1f} s", *evidence.paused_s)));
  }
  const double waited_s = evidence.waited_s.value_or(0);
  if (waited_s > kWaitShare * static_cast<double>(evidence.planned.duration_s)) {
    reasons.push_back(
        make_reason("hypervisor_steal",
                    fmt::format("the VM waited for a CPU of its host for {:.2f} s", waited_s)));
  }
}

}  // namespace rtsweep::checks
