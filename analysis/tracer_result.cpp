// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/tracer_result.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rtsweep {

using nlohmann::json;

void TracerSamples::add(int64_t ns, int64_t histogram_us) {
  min_ns = samples == 0 ? ns : std::min(min_ns, ns);
  max_ns = samples == 0 ? ns : std::max(max_ns, ns);
  sum_ns += ns;
  ++samples;
  const int64_t us = ns / 1000;
  if (ns < 0 || us >= histogram_us) {
    ++overflows;
  } else {
    ++counts[us];
  }
}

static void to_json(json& j, const TracerSamples& kind) {
  json counts = json::array();
  for (const auto& [us, times] : kind.counts) counts.push_back({us, times});
  j = {{"samples", kind.samples}, {"overflows", kind.overflows}, {"counts", std::move(counts)}};
  if (kind.samples == 0) return;
  j["min_ns"] = kind.min_ns;
  j["max_ns"] = kind.max_ns;
  j["sum_ns"] = kind.sum_ns;
}

static void from_json(const json& j, TracerSamples& kind) {
  j.at("samples").get_to(kind.samples);
  j.at("overflows").get_to(kind.overflows);
  for (const auto& pair : j.at("counts")) {
    kind.counts[pair.at(0).get<int64_t>()] = pair.at(1).get<uint64_t>();
  }
  if (kind.samples == 0) return;
  j.at("min_ns").get_to(kind.min_ns);
  j.at("max_ns").get_to(kind.max_ns);
  j.at("sum_ns").get_to(kind.sum_ns);
}

static void to_json(json& j, const TracerCpu& cpu) {
  j = {{"cpu", cpu.cpu}, {"kinds", json::object()}};
  for (const auto& [name, samples] : cpu.kinds) to_json(j["kinds"][name], samples);
  if (!cpu.interruptions.empty()) j["interruptions"] = cpu.interruptions;
}

static void from_json(const json& j, TracerCpu& cpu) {
  j.at("cpu").get_to(cpu.cpu);
  for (const auto& [name, samples] : j.at("kinds").items()) from_json(samples, cpu.kinds[name]);
  if (j.contains("interruptions")) j.at("interruptions").get_to(cpu.interruptions);
}

void to_json(json& j, const TracerResult& result) {
  json cpus = json::array();
  for (const TracerCpu& cpu : result.cpus) to_json(cpus.emplace_back(), cpu);
  j = {{"probe", result.probe},
       {"interval_us", result.interval_us},
       {"histogram_us", result.histogram_us},
       {"clock", result.clock},
       {"lost_events", result.lost_events},
       {"cpus", std::move(cpus)}};
  if (result.busy_us) j["busy_us"] = *result.busy_us;
  if (result.threshold_us) j["threshold_us"] = *result.threshold_us;
  if (result.spun_s) j["spun_s"] = *result.spun_s;
}

void from_json(const json& j, TracerResult& result) {
  j.at("probe").get_to(result.probe);
  j.at("interval_us").get_to(result.interval_us);
  j.at("histogram_us").get_to(result.histogram_us);
  j.at("clock").get_to(result.clock);
  j.at("lost_events").get_to(result.lost_events);
  if (j.contains("busy_us")) result.busy_us = j.at("busy_us").get<int64_t>();
  if (j.contains("threshold_us")) result.threshold_us = j.at("threshold_us").get<int64_t>();
  if (j.contains("spun_s")) result.spun_s = j.at("spun_s").get<double>();
  for (const json& cpu : j.at("cpus")) from_json(cpu, result.cpus.emplace_back());
}

std::string_view main_kind(std::string_view probe) {
  if (probe == "timerlat") return "thread";
  if (probe == "osnoise") return "single";
  return probe == "hwlat" ? "gap" : "";
}

}  // namespace rtsweep
