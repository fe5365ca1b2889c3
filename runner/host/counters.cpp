// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/counters.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <ctime>

#include "runner/base/text.h"
#include "runner/base/unique_fd.h"
#include "runner/host/cpu_list.h"
#include "runner/host/interrupts.h"
#include "runner/host/read_values.h"
#include "runner/host/task_scan.h"

namespace rtsweep {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

std::optional<uint64_t> count_of(const HostRoot& host, const std::string& file) {
  const auto value = number_of(host, file);
  return value && *value >= 0 ? std::optional(static_cast<uint64_t>(*value)) : std::nullopt;
}

// The number of system management interrupts since reset: MSR_SMI_COUNT of Intel's
// processors since Nehalem (SDM volume 4). Needs the msr driver.
std::optional<uint64_t> smi_count(const HostRoot& host, int cpu) {
  constexpr off_t kMsrSmiCount = 0x34;
  const std::string file = "dev/cpu/" + std::to_string(cpu) + "/msr";
  const UniqueFd fd(::open(host.path(file).c_str(), O_RDONLY | O_CLOEXEC));
  uint64_t value = 0;
  if (!fd || ::pread(fd.get(), &value, sizeof(value), kMsrSmiCount) != sizeof(value)) {
    return std::nullopt;
  }
  return value & 0xffffffff;
}

std::map<std::string, IdleUse> idle_use(const HostRoot& host, const std::string& cpu) {
  std::map<std::string, IdleUse> use;
  const std::string directory = cpu + "/cpuidle";
  for (const std::string& state : names_in(host, directory)) {
    const std::string path = directory + "/" + state;
    const std::string name = text_of(host, path + "/name");
    if (name.empty()) continue;
    use[name] = {.entries = count_of(host, path + "/usage").value_or(0),
                 .time_us = count_of(host, path + "/time").value_or(0)};
  }
  return use;
}

// "cpu3 user nice system idle iowait irq softirq steal guest guest_nice", in USER_HZ.
void read_proc_stat(const HostRoot& host, Counters& counters) {
  const auto ms_per_tick = static_cast<uint64_t>(1000 / ::sysconf(_SC_CLK_TCK));
  for (const std::string& line : split(text_of(host, "proc/stat"), '\n')) {
    const std::vector<std::string> word = words(line);
    if (word.size() >= 2 && word[0] == "ctxt") {
      if (const auto value = number_in(word[1])) counters.context_switches = *value;
    }
    if (word.size() < 9 || !word[0].starts_with("cpu") || word[0] == "cpu") continue;
    const auto cpu = number_in(std::string_view(word[0]).substr(3));
    const auto steal = number_in(word[8]);
    if (!cpu || !steal) continue;
    counters.cpus[static_cast<int>(*cpu)].steal_ms = static_cast<uint64_t>(*steal) * ms_per_tick;
  }
}

void read_cpus(const HostRoot& host, Counters& counters) {
  const auto online = online_cpus(host);
  if (!online) return;
  for (const int cpu : *online) {
    const std::string directory = "sys/devices/system/cpu/cpu" + std::to_string(cpu);
    CpuCounters& counter = counters.cpus[cpu];
    counter.khz = number_of(host, directory + "/cpufreq/scaling_cur_freq");
    counter.thermal_throttles = count_of(host, directory + "/thermal_throttle/core_throttle_count");
    counter.smis = smi_count(host, cpu);
    counter.idle = idle_use(host, directory);
  }
}

std::map<std::string, std::vector<uint64_t>> counts_of(const CountTable& table) {
  std::map<std::string, std::vector<uint64_t>> counts;
  for (const auto& [name, row] : table.rows) {
    if (!row.counts.empty()) counts[name] = row.counts;
  }
  return counts;
}

void read_interrupts(const HostRoot& host, Counters& counters) {
  const CountTable interrupts = parse_count_table(text_of(host, "proc/interrupts"));
  counters.interrupt_cpus = interrupts.cpus;
  counters.interrupts = counts_of(interrupts);
  counters.softirqs = counts_of(parse_count_table(text_of(host, "proc/softirqs")));
}

void read_thermal(const HostRoot& host, Counters& counters) {
  const std::string thermal = "sys/class/thermal";
  for (const std::string& name : names_in(host, thermal)) {
    const std::string path = thermal + "/" + name;
    const std::string type = text_of(host, path + "/type");
    if (name.starts_with("thermal_zone")) {
      const auto milli = number_of(host, path + "/temp");
      if (milli) counters.temperatures_c[type] = static_cast<double>(*milli) / 1000;
    } else if (name.starts_with("cooling_device")) {
      const auto state = number_of(host, path + "/cur_state");
      if (state && *state > 0) counters.cooling[type + " (" + name + ")"] = *state;
    }
  }
}

void read_power(const HostRoot& host, CommandRunner& commands, Counters& counters) {
  counters.throttled_bits =
      parse_throttled(text_of(host, "sys/devices/platform/soc/soc:firmware/get_throttled"));
  if (!counters.throttled_bits && std::filesystem::exists(host.path("dev/vcio"))) {
    const auto answer = commands.run({"vcgencmd", "get_throttled"});
    if (answer) counters.throttled_bits = parse_throttled(trim(*answer));
  }
  for (const std::string& name : names_in(host, "sys/class/hwmon")) {
    const auto alarm = number_of(host, "sys/class/hwmon/" + name + "/in0_lcrit_alarm");
    if (alarm) counters.under_voltage = counters.under_voltage.value_or(false) || *alarm != 0;
  }
}

// What the ring buffers of ftrace dropped, where tracing is on.
std::optional<uint64_t> lost_events(const HostRoot& host) {
  const std::string tracing = "sys/kernel/tracing";
  if (number_of(host, tracing + "/tracing_on") != 1) return std::nullopt;
  if (text_of(host, tracing + "/set_event").empty() &&
      text_of(host, tracing + "/current_tracer") == "nop") {
    return std::nullopt;
  }
  uint64_t lost = 0;
  for (const std::string& cpu : names_in(host, tracing + "/per_cpu")) {
    const std::string stats = text_of(host, tracing + "/per_cpu/" + cpu + "/stats");
    for (const char* name : {"overrun", "commit overrun", "dropped events"}) {
      lost += static_cast<uint64_t>(number_in(colon_field(stats, name)).value_or(0));
    }
  }
  return lost;
}

}  // namespace

std::optional<uint64_t> parse_throttled(std::string_view text) {
  if (const size_t equals = text.find('='); equals != std::string_view::npos) {
    text.remove_prefix(equals + 1);
  }
  if (text.starts_with("0x")) text.remove_prefix(2);
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, ec] = std::from_chars(text.data(), end, value, 16);
  if (ec != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return value;
}

Counters read_counters(const HostRoot& host, CommandRunner& commands) {
  Counters counters;
  counters.monotonic_s = seconds_of(CLOCK_MONOTONIC);
  counters.boottime_s = seconds_of(CLOCK_BOOTTIME);
  counters.realtime_s = seconds_of(CLOCK_REALTIME);
  read_proc_stat(host, counters);
  read_cpus(host, counters);
  read_interrupts(host, counters);
  read_thermal(host, counters);
  read_power(host, commands, counters);
  counters.trace_lost_events = lost_events(host);
  counters.tainted = number_of(host, "proc/sys/kernel/tainted");
  counters.rt_tasks = rt_tasks(host);
  return counters;
}

namespace {

ObserverCost used_so_far() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {.wall_s = seconds_of(CLOCK_MONOTONIC),
          .cpu_s = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
          .switches = usage.ru_nvcsw,
          .preemptions = usage.ru_nivcsw};
}

std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace

ObserverWatch::ObserverWatch() : begin_(used_so_far()) {}

ObserverCost ObserverWatch::cost() const {
  const ObserverCost now = used_so_far();
  return {.wall_s = now.wall_s - begin_.wall_s,
          .cpu_s = now.cpu_s - begin_.cpu_s,
          .switches = now.switches - begin_.switches,
          .preemptions = now.preemptions - begin_.preemptions,
          .cpus = allowed_cpus()};
}

}  // namespace rtsweep
