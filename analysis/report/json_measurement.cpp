// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/json_measurement.h"

#include <fmt/format.h>

#include "analysis/json_fields.h"

namespace rtsweep {
namespace {

using Json = nlohmann::ordered_json;

Json growth(const std::optional<uint64_t>& begin, const std::optional<uint64_t>& end) {
  if (!begin || !end || *end < *begin) return {};
  return *end - *begin;
}

// One row of counts by CPU; null when nothing happened. A row that was not there before
// began at 0.
Json row_growth(const std::vector<uint64_t>& begin, const std::vector<uint64_t>& end) {
  Json row = Json::array();
  bool grown = false;
  for (size_t cpu = 0; cpu < end.size(); ++cpu) {
    const uint64_t before = cpu < begin.size() ? begin[cpu] : 0;
    const uint64_t more = end[cpu] >= before ? end[cpu] - before : 0;
    row.push_back(more);
    grown = grown || more > 0;
  }
  return grown ? row : Json();
}

Json table_growth(const std::map<std::string, std::vector<uint64_t>>& begin,
                  const std::map<std::string, std::vector<uint64_t>>& end) {
  Json table = Json::object();
  for (const auto& [name, counts] : end) {
    const auto before = begin.find(name);
    Json row = row_growth(before == begin.end() ? std::vector<uint64_t>() : before->second, counts);
    if (!row.is_null()) table[name] = std::move(row);
  }
  return table;
}

Json idle_growth(const std::map<std::string, IdleUse>& begin,
                 const std::map<std::string, IdleUse>& end) {
  Json states = Json::object();
  for (const auto& [name, use] : end) {
    const auto before = begin.find(name);
    const IdleUse then = before == begin.end() ? IdleUse{} : before->second;
    states[name] = {{"entries", growth(then.entries, use.entries)},
                    {"time_us", growth(then.time_us, use.time_us)}};
  }
  return states;
}

Json cpu_growth(const CpuCounters& begin, const CpuCounters& end) {
  Json cpu = {{"steal_ms", growth(begin.steal_ms, end.steal_ms)},
              {"smis", growth(begin.smis, end.smis)},
              {"thermal_throttles", growth(begin.thermal_throttles, end.thermal_throttles)}};
  cpu["khz"] = end.khz ? Json(*end.khz) : Json();
  cpu["idle"] = idle_growth(begin.idle, end.idle);
  return cpu;
}

Json cpus_growth(const Counters& begin, const Counters& end) {
  Json cpus = Json::object();
  for (const auto& [number, counters] : end.cpus) {
    const auto before = begin.cpus.find(number);
    if (before == begin.cpus.end()) continue;
    cpus[std::to_string(number)] = cpu_growth(before->second, counters);
  }
  return cpus;
}

template <typename T>
Json known(const std::optional<T>& value) {
  return value ? Json(json_of_fields(*value)) : Json();
}

}  // namespace

Json json_of_measurement(const std::optional<MeasurementCounters>& counters) {
  if (!counters) return {};
  const Counters& begin = counters->begin;
  const Counters& end = counters->end;
  return {
      {"context_switches", growth(begin.context_switches, end.context_switches)},
      {"interrupt_cpus", end.interrupt_cpus},
      {"interrupts", table_growth(begin.interrupts, end.interrupts)},
      {"softirqs", table_growth(begin.softirqs, end.softirqs)},
      {"cpus", cpus_growth(begin, end)},
      {"temperatures_c", end.temperatures_c},
      {"cooling", end.cooling},
      {"throttled", end.throttled_bits ? Json(fmt::format("{:#x}", *end.throttled_bits)) : Json()},
      {"under_voltage", known(end.under_voltage)},
      {"trace_lost_events", growth(begin.trace_lost_events, end.trace_lost_events)},
      {"rt_tasks", json_of_fields(end.rt_tasks)},
      {"observer", known(counters->observer)}};
}

}  // namespace rtsweep
