// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/cli/explain_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "runner/run/outlier_causes.h"
#include "runner/run/run_directory.h"

namespace rtsweep {
namespace {

struct Candidate {
  const PlannedTrial* trial = nullptr;
  CapturedOutlier outlier;
};

Result<std::vector<Candidate>> outliers_of(const RunDirectory& run, const PlannedTrial& trial) {
  const auto capture = read_capture(run.trial_directory(trial));
  if (!capture) return capture.error();
  std::vector<Candidate> found;
  for (const CapturedOutlier& outlier : capture->outliers) found.push_back({&trial, outlier});
  if (!found.empty()) return found;
  return Error(Errc::kInvalidPlan,
               fmt::format("trial {} has no traced outlier: {} of its samples were past {} us",
                           trial.id, capture->hits.size(), capture->breakpoint_us));
}

Result<std::vector<Candidate>> outliers_of(const RunDirectory& run, int id) {
  const auto trial = std::ranges::find(run.trials(), id, &PlannedTrial::id);
  if (trial != run.trials().end()) return outliers_of(run, *trial);
  return Error(Errc::kInvalidPlan, fmt::format("{} has no trial {}: they are 1 to {}",
                                               run.path().string(), id, run.trials().size()));
}

Result<std::vector<Candidate>> all_outliers(const RunDirectory& run) {
  std::vector<Candidate> all;
  for (const PlannedTrial& trial : run.trials()) {
    const auto found = outliers_of(run, trial);
    if (found) all.insert(all.end(), found->begin(), found->end());
  }
  if (!all.empty()) return all;
  return Error(Errc::kInvalidPlan, run.path().string() +
                                       ": no trial has a traced outlier; [measure] breakpoint_us "
                                       "in the plan says from which latency on a trace is kept");
}

}  // namespace

Result<Explanation> explain_run(const std::filesystem::path& directory,
                                const OutlierChoice& choice) {
  RTSWEEP_TRY(const RunDirectory run, RunDirectory::open(directory));
  RTSWEEP_TRY(const std::vector<Candidate> candidates,
              choice.trial ? outliers_of(run, *choice.trial) : all_outliers(run));
  auto chosen = std::ranges::max_element(
      candidates, {}, [](const Candidate& one) { return one.outlier.latency_us; });
  if (choice.outlier) {
    const std::string name = fmt::format("outlier-{}.dat", *choice.outlier);
    chosen = std::ranges::find_if(candidates,
                                  [&](const Candidate& one) { return one.outlier.file == name; });
    if (chosen == candidates.end()) {
      return Error(Errc::kInvalidPlan, fmt::format("there is no outlier {}: the trial has 1 to {}",
                                                   *choice.outlier, candidates.size()));
    }
  }
  RTSWEEP_TRY(ExplainedOutlier found,
              explain_outlier(run.trial_directory(*chosen->trial), chosen->outlier));
  found.explanation.source = run.trial_name(*chosen->trial) + "/" + chosen->outlier.file;
  return std::move(found.explanation);
}

}  // namespace rtsweep
