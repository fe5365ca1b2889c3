// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/outlook.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runner/plan/expected_time.h"

namespace rtsweep {
namespace {

constexpr int kSchema = 1;

nlohmann::json trial_json(const TrialOutlook& outlook) {
  nlohmann::json json = {{"id", outlook.trial.id},
                         {"repetition", outlook.trial.repetition},
                         {"seed", outlook.trial.seed},
                         {"cell", outlook.trial.cell},
                         {"possible", !outlook.impossible.has_value()}};
  if (outlook.impossible) {
    json["reason"] = *outlook.impossible;
  } else {
    json["expected_s"] = outlook.expected.count();
  }
  return json;
}

nlohmann::json factors_json(const Plan& plan) {
  nlohmann::json json = nlohmann::json::array();
  for (const Factor& factor : plan.factors) {
    json.push_back({{"name", factor.name}, {"levels", factor.levels}});
  }
  return json;
}

}  // namespace

PlanOutlook plan_outlook(const Plan& plan, const PlanHost& host) {
  PlanOutlook outlook{.jobs = parallel_jobs(plan, host.cpus)};
  std::vector<PlannedTrial> possible;
  for (PlannedTrial& trial : order_trials(plan)) {
    auto reason = impossible_reason(plan, trial, host);
    const auto expected = reason ? std::chrono::seconds(0) : expected_trial_time(plan, trial.cell);
    if (!reason) possible.push_back(trial);
    outlook.trials.push_back({std::move(trial), std::move(reason), expected});
  }
  outlook.possible = static_cast<int>(possible.size());
  // More VMs than CPUs share the CPUs, and end no sooner.
  outlook.expected = expected_time(plan, possible, std::min(outlook.jobs, host.cpus));
  return outlook;
}

nlohmann::json outlook_json(const Plan& plan, const PlanOutlook& outlook) {
  nlohmann::json json = {{"schema", kSchema},
                         {"plan", plan.name},
                         {"file", plan.file.string()},
                         {"target", plan.target},
                         {"clock", plan.virtual_clock ? "virtual" : "real"},
                         {"seed", plan.seed},
                         {"repetitions", plan.repetitions},
                         {"factors", factors_json(plan)},
                         {"possible", outlook.possible},
                         {"jobs", outlook.jobs},
                         {"expected_s", outlook.expected.count()},
                         {"budget_s", nullptr},
                         {"fits_budget", nullptr},
                         {"trials", nlohmann::json::array()}};
  if (plan.budget) {
    json["budget_s"] = plan.budget->count();
    json["fits_budget"] = outlook.expected <= *plan.budget;
  }
  for (const TrialOutlook& trial : outlook.trials) json["trials"].push_back(trial_json(trial));
  return json;
}

}  // namespace rtsweep
