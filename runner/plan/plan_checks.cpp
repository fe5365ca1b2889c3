// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/plan_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/plan/duration.h"
#include "runner/plan/factors.h"
#include "runner/plan/words.h"

namespace rtsweep {
namespace {

// More would take years, and is a slip in a level list or in `repetitions`.
constexpr uint64_t kMostTrials = 100'000;

// Where a value stands; the start of the file for one that is not there.
toml::source_region where(const toml::table& root, std::string_view path) {
  const auto node = root.at_path(path);
  if (node) return node.node()->source();
  return {.begin = {1, 1}, .end = {1, 1}, .path = {}};
}

const Factor* find_factor(const Plan& plan, std::string_view name) {
  const auto found = std::ranges::find(plan.factors, name, &Factor::name);
  return found == plan.factors.end() ? nullptr : &*found;
}

// Virtual time counts the instructions of one CPU: with more, the others' time slices
// are counted into a wakeup.
void check_clock(PlanReader& reader, const toml::table& root, const Plan& plan) {
  if (!plan.virtual_clock) return;
  if (plan.target != "vm") {
    reader.refuse(where(root, "clock"), "clock \"virtual\" needs target \"vm\"");
  }
  if (plan.vm_cpus > 1) {
    reader.refuse(where(root, "vm.cpus"),
                  fmt::format("virtual time needs one CPU, not {}: set cpus = 1, or clock = "
                              "\"real\" above the first [table]",
                              plan.vm_cpus));
  }
}

void check_factors_for_target(PlanReader& reader, const toml::table& root, const Plan& plan) {
  if (plan.target == "vm") {
    if (find_factor(plan, "kernel") == nullptr) {
      reader.refuse(where(root, "factors"), "target \"vm\" needs the factor \"kernel\"");
    }
    return;
  }
  for (const Factor& factor : plan.factors) {
    if (!find_factor_kind(factor.name)->boots) continue;
    reader.refuse(where(root, "factors." + factor.name),
                  fmt::format("factor \"{}\" needs a target that boots kernels; target \"{}\" "
                              "measures the running one",
                              factor.name, plan.target));
  }
}

// Every kernel must have an architecture: from the factor, or given with its path.
void check_arch(PlanReader& reader, const toml::table& root, const Plan& plan) {
  const Factor* kernels = find_factor(plan, "kernel");
  if (kernels == nullptr || find_factor(plan, "arch") != nullptr) return;
  for (const std::string& kernel : kernels->levels) {
    if (plan.kernels.contains(kernel)) continue;
    reader.refuse(where(root, "factors"),
                  fmt::format("kernel {} needs the factor \"arch\": amd64, i386, arm64 or armhf",
                              shown_word(kernel)));
    return;
  }
}

void check_load_cpus(PlanReader& reader, const toml::table& root, const Plan& plan) {
  if (plan.target != "vm") return;
  for (const auto& [name, settings] : plan.loads) {
    if (settings.cpus.empty() || settings.cpus.back() < plan.vm_cpus) continue;
    reader.refuse(where(root, fmt::format("loads.{}.cpus", name)),
                  fmt::format("there is no CPU {}: the VM has {} (vm.cpus)", settings.cpus.back(),
                              plan.vm_cpus));
  }
}

// In virtual time an idle guest's minutes pass in seconds, so only real time tells.
void check_timeout(PlanReader& reader, const toml::table& root, const Plan& plan) {
  if (plan.target != "vm" || plan.virtual_clock) return;
  const std::chrono::seconds duration(plan.duration_s);
  if (plan.trial_timeout > duration) return;
  reader.refuse(
      where(root, root.at_path("vm.trial_timeout") ? "vm.trial_timeout" : "measure.duration"),
      fmt::format("trial_timeout {} ends a trial before its duration of {} is over",
                  duration_text(plan.trial_timeout), duration_text(duration)));
}

void check_size(PlanReader& reader, const toml::table& root, const Plan& plan) {
  uint64_t trials = static_cast<uint64_t>(plan.repetitions);
  for (const Factor& factor : plan.factors) {
    trials *= factor.levels.size();
    if (trials <= kMostTrials) continue;
    reader.refuse(where(root, "factors"), fmt::format("more than {} trials", kMostTrials));
    return;
  }
  if (order_trials(plan).empty()) {
    reader.refuse(where(root, "exclude"), "every cell is excluded");
  }
}

}  // namespace

void check_plan(PlanReader& reader, const toml::table& root, Plan& plan) {
  if (find_factor(plan, "load") == nullptr) plan.factors.push_back({"load", {"idle"}});
  check_clock(reader, root, plan);
  check_factors_for_target(reader, root, plan);
  check_arch(reader, root, plan);
  check_load_cpus(reader, root, plan);
  check_timeout(reader, root, plan);
  check_size(reader, root, plan);
}

}  // namespace rtsweep
