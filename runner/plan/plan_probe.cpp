// SPDX-License-Identifier: GPL-2.0-or-later

// What [measure] may say depends on the probe that it names.

#include <fmt/format.h>

#include "runner/measure/probe.h"
#include "runner/plan/plan_sections.h"

namespace rtsweep {
namespace {

void refuse_key(PlanReader& reader, const toml::table& root, const char* key,
                const std::string& why) {
  if (const auto node = root.at_path(key)) reader.refuse(node.node()->source(), why);
}

// Only they look for interruptions.
bool spins(const Plan& plan) { return plan.probe == "osnoise" || plan.probe == "hwlat"; }

void check_busy(PlanReader& reader, const toml::table& root, const Plan& plan) {
  if (plan.busy_us.value_or(0) <= plan.interval_us) return;
  refuse_key(reader, root, "measure.busy_us",
             fmt::format("busy_us {} is more than interval_us {}: {} cannot look for interruptions "
                         "longer than an interval is",
                         *plan.busy_us, plan.interval_us, plan.probe));
}

void check_cpus(PlanReader& reader, const toml::table& root, const Plan& plan) {
  if (plan.target != "vm" || plan.cpus.empty() || plan.cpus.back() < plan.vm_cpus) return;
  refuse_key(
      reader, root, "measure.cpus",
      fmt::format("there is no CPU {}: the VM has {} (vm.cpus)", plan.cpus.back(), plan.vm_cpus));
}

void check_keys(PlanReader& reader, const toml::table& root, const Plan& plan) {
  if (spins(plan)) {
    refuse_key(reader, root, "measure.priority",
               fmt::format("priority is of cyclictest and timerlat; the thread of {} is an "
                           "ordinary one",
                           plan.probe));
    return check_busy(reader, root, plan);
  }
  for (const char* key : {"busy_us", "threshold_us"}) {
    refuse_key(reader, root, fmt::format("measure.{}", key).c_str(),
               fmt::format("{} is of osnoise and hwlat; {} does not have it", key, plan.probe));
  }
}

}  // namespace

void check_probe(PlanReader& reader, const toml::table& root, Plan& plan) {
  const ProbeKind* probe = find_probe_kind(plan.probe);
  if (probe == nullptr) return;
  if (!root.at_path("measure.interval_us")) plan.interval_us = probe->interval_us;
  if (probe->is_tracer()) {
    refuse_key(reader, root, "capture",
               fmt::format("[capture] keeps traces of cyclictest's outliers; {} lists its own",
                           plan.probe));
  }
  check_cpus(reader, root, plan);
  check_keys(reader, root, plan);
}

}  // namespace rtsweep
