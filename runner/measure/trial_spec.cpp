// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/trial_spec.h"

#include <nlohmann/json.hpp>

namespace rtsweep {

using nlohmann::json;

void to_json(json& j, const ProbeSpec& probe) {
  j = {{"name", probe.name},
       {"program", probe.program},
       {"priority", probe.priority},
       {"interval_us", probe.interval_us},
       {"duration_s", probe.duration_s},
       {"histogram_us", probe.histogram_us},
       {"memory", probe.memory}};
  // Not an empty one: a guest's initramfs stays what it was.
  if (!probe.cpus.empty()) j["cpus"] = probe.cpus;
  if (probe.busy_us) j["busy_us"] = *probe.busy_us;
  if (probe.threshold_us) j["threshold_us"] = *probe.threshold_us;
}

void from_json(const json& j, ProbeSpec& probe) {
  j.at("name").get_to(probe.name);
  j.at("program").get_to(probe.program);
  j.at("priority").get_to(probe.priority);
  j.at("interval_us").get_to(probe.interval_us);
  j.at("duration_s").get_to(probe.duration_s);
  j.at("histogram_us").get_to(probe.histogram_us);
  j.at("memory").get_to(probe.memory);
  if (j.contains("cpus")) j.at("cpus").get_to(probe.cpus);
  if (j.contains("busy_us")) probe.busy_us = j.at("busy_us").get<int64_t>();
  if (j.contains("threshold_us")) probe.threshold_us = j.at("threshold_us").get<int64_t>();
}

void to_json(json& j, const LoadSpec& load) {
  j = {
      {"name", load.name}, {"options", load.options}, {"cpus", load.cpus}, {"memory", load.memory}};
  if (load.floor_per_s) j["floor_per_s"] = *load.floor_per_s;
}

void from_json(const json& j, LoadSpec& load) {
  j.at("name").get_to(load.name);
  j.at("options").get_to(load.options);
  j.at("cpus").get_to(load.cpus);
  j.at("memory").get_to(load.memory);
  if (j.contains("floor_per_s")) load.floor_per_s = j.at("floor_per_s").get<double>();
}

void to_json(json& j, const TrialSpec& spec) {
  j = {{"probe", spec.probe},
       {"loads", spec.loads},
       {"modules", spec.modules},
       {"config", spec.config}};
  // Not an empty one: a guest's initramfs stays what it was.
  if (!spec.tuning.empty()) j["tuning"] = spec.tuning;
  if (spec.capture) j["capture"] = *spec.capture;
}

void from_json(const json& j, TrialSpec& spec) {
  j.at("probe").get_to(spec.probe);
  j.at("loads").get_to(spec.loads);
  j.at("modules").get_to(spec.modules);
  j.at("config").get_to(spec.config);
  if (j.contains("tuning")) j.at("tuning").get_to(spec.tuning);
  if (j.contains("capture")) spec.capture = j.at("capture").get<CaptureSpec>();
}

}  // namespace rtsweep
