// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/boot/target.h"

#include <array>
#include <nlohmann/json.hpp>

#include "runner/boot/local_target.h"
#include "runner/boot/vm_target.h"

namespace rtsweep {
namespace {

using nlohmann::json;
using Kind = TrialEnd::Kind;

constexpr std::array<std::pair<Kind, std::string_view>, 7> kEndNames = {{
    {Kind::kComplete, "complete"},
    {Kind::kBootTimeout, "boot_timeout"},
    {Kind::kTrialTimeout, "trial_timeout"},
    {Kind::kVmDied, "vm_died"},
    {Kind::kNotDeterministic, "not_deterministic"},
    {Kind::kStopped, "stopped"},
    {Kind::kFailed, "failed"},
}};

LoadSpec load_spec(const Plan& plan, const Cell& cell, const std::string& name) {
  LoadSpec spec{.name = name, .memory = level_of(cell, "load_memory")};
  if (const auto it = plan.loads.find(name); it != plan.loads.end()) {
    spec.options = it->second.options;
    spec.cpus = it->second.cpus;
    spec.floor_per_s = it->second.floor_per_s;
  }
  return spec;
}

}  // namespace

std::string_view end_name(Kind kind) {
  for (const auto& [known, name] : kEndNames) {
    if (known == kind) return name;
  }
  return "";
}

void to_json(json& j, const TrialEnd& end) {
  j = {{"end", end_name(end.kind)}, {"message", end.message}, {"wall_s", end.wall_s}};
  if (end.boot_s) j["boot_s"] = *end.boot_s;
  if (end.measuring_s) j["measuring_s"] = *end.measuring_s;
  if (end.paused_s) j["paused_s"] = *end.paused_s;
  if (end.waited_s) j["waited_s"] = *end.waited_s;
}

void from_json(const json& j, TrialEnd& end) {
  const auto name = j.at("end").get<std::string>();
  for (const auto& [kind, known] : kEndNames) {
    if (known == name) end.kind = kind;
  }
  j.at("message").get_to(end.message);
  j.at("wall_s").get_to(end.wall_s);
  if (j.contains("boot_s")) end.boot_s = j.at("boot_s").get<double>();
  if (j.contains("measuring_s")) end.measuring_s = j.at("measuring_s").get<double>();
  if (j.contains("paused_s")) end.paused_s = j.at("paused_s").get<double>();
  if (j.contains("waited_s")) end.waited_s = j.at("waited_s").get<double>();
}

TrialSpec trial_spec(const Plan& plan, const PlannedTrial& trial) {
  TrialSpec spec;
  spec.probe.name = plan.probe;
  spec.probe.priority = plan.priority;
  spec.probe.cpus = plan.cpus;
  spec.probe.interval_us = plan.interval_us;
  spec.probe.busy_us = plan.busy_us;
  spec.probe.threshold_us = plan.threshold_us;
  spec.probe.duration_s = plan.duration_s;
  spec.probe.histogram_us = plan.histogram_us;
  spec.probe.memory = level_of(trial.cell, "probe_memory");
  spec.tuning = tuning_of(plan, trial.cell);
  if (plan.capture.breakpoint_us > 0) spec.capture = plan.capture;
  for (const std::string& name : load_names(trial.cell)) {
    spec.loads.push_back(load_spec(plan, trial.cell, name));
  }
  return spec;
}

Result<std::unique_ptr<Target>> make_target(std::string_view name, const TargetContext& context) {
  if (name == "vm") return std::unique_ptr<Target>(std::make_unique<VmTarget>(context.guests));
  if (name == "local") {
    return std::unique_ptr<Target>(std::make_unique<LocalTarget>(HostRoot(), context.undo));
  }
  return Error(Errc::kInvalidPlan, "no target is called '" + std::string(name) + "'");
}

}  // namespace rtsweep
