// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rtsweep {

// A task that the scheduler prefers to all normal ones.
struct RtTask {
  int pid = 0;
  std::string name;
  std::string policy;   // "fifo", "rr", "deadline"
  int priority = 0;     // 1 to 99; 0 for deadline, which goes before all of them
  bool kernel = false;  // a kernel thread

  bool operator==(const RtTask&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("pid", self.pid);
    visit("name", self.name);
    visit("policy", self.policy);
    visit("priority", self.priority);
    visit("kernel", self.kernel);
  }
};

// How often and how long a CPU was in an idle state since boot.
struct IdleUse {
  uint64_t entries = 0;
  uint64_t time_us = 0;

  bool operator==(const IdleUse&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("entries", self.entries);
    visit("time_us", self.time_us);
  }
};

struct CpuCounters {
  std::optional<uint64_t> steal_ms;           // the hypervisor let another guest run
  std::optional<int64_t> khz;                 // scaling_cur_freq
  std::optional<uint64_t> thermal_throttles;  // x86: core_throttle_count
  std::optional<uint64_t> smis;               // x86: MSR 0x34
  std::map<std::string, IdleUse> idle;        // by state

  bool operator==(const CpuCounters&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("steal_ms", self.steal_ms);
    visit("khz", self.khz);
    visit("thermal_throttles", self.thermal_throttles);
    visit("smis", self.smis);
    visit("idle", self.idle);
  }
};

// What a machine has counted up to one moment: read right before and right after a
// measurement, so that their difference is the measurement's own. Unknown is empty.
struct Counters {
  std::optional<double> monotonic_s;  // CLOCK_MONOTONIC, _BOOTTIME, _REALTIME, read together
  std::optional<double> boottime_s;
  std::optional<double> realtime_s;
  std::map<int, CpuCounters> cpus;
  std::vector<int> interrupt_cpus;                          // columns of the two tables that follow
  std::map<std::string, std::vector<uint64_t>> interrupts;  // by number or name: "24", "LOC"
  std::map<std::string, std::vector<uint64_t>> softirqs;    // "TIMER"
  std::optional<uint64_t> context_switches;                 // all CPUs
  std::map<std::string, double> temperatures_c;             // by thermal zone: "cpu-thermal"
  std::map<std::string, int64_t> cooling;                   // cooling devices at work, and how far
  std::optional<uint64_t> throttled_bits;                   // a Pi's get_throttled
  std::optional<bool> under_voltage;                        // an alarm of hwmon
  std::optional<uint64_t> trace_lost_events;  // of all ftrace buffers; empty: nobody traces
  std::optional<int64_t> tainted;
  std::vector<RtTask> rt_tasks;

  bool operator==(const Counters&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("monotonic_s", self.monotonic_s);
    visit("boottime_s", self.boottime_s);
    visit("realtime_s", self.realtime_s);
    visit("cpus", self.cpus);
    visit("interrupt_cpus", self.interrupt_cpus);
    visit("interrupts", self.interrupts);
    visit("softirqs", self.softirqs);
    visit("context_switches", self.context_switches);
    visit("temperatures_c", self.temperatures_c);
    visit("cooling", self.cooling);
    visit("throttled_bits", self.throttled_bits);
    visit("under_voltage", self.under_voltage);
    visit("trace_lost_events", self.trace_lost_events);
    visit("tainted", self.tainted);
    visit("rt_tasks", self.rt_tasks);
  }
};

// What the suite's own process did while the probe measured: how much it disturbed.
// All its threads, on whatever CPU, so never less than on the measured ones.
struct ObserverCost {
  double wall_s = 0;
  double cpu_s = 0;
  int64_t switches = 0;     // voluntary: each is a sleep, and ends with a wakeup
  int64_t preemptions = 0;  // involuntary
  std::vector<int> cpus;    // where it was allowed to run

  bool operator==(const ObserverCost&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("wall_s", self.wall_s);
    visit("cpu_s", self.cpu_s);
    visit("switches", self.switches);
    visit("preemptions", self.preemptions);
    visit("cpus", self.cpus);
  }
};

// counters.json of a trial.
struct MeasurementCounters {
  Counters begin;
  Counters end;
  std::optional<ObserverCost> observer;

  bool operator==(const MeasurementCounters&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("begin", self.begin);
    visit("end", self.end);
    visit("observer", self.observer);
  }
};

void to_json(nlohmann::json& json, const MeasurementCounters& counters);
void from_json(const nlohmann::json& json, MeasurementCounters& counters);

}  // namespace rtsweep
