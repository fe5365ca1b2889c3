// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/bundle/choose_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace rtsweep {
namespace {

int64_t worst_outlier(const TrialResult& trial) {
  int64_t worst = -1;
  for (const OutlierResult& outlier : trial.outliers) worst = std::max(worst, outlier.latency_us);
  return worst;
}

std::tuple<int64_t, bool, int64_t> badness(const TrialResult& trial) {
  return {worst_outlier(trial), trial.usable(), trial.max_us().value_or(-1)};
}

}  // namespace

Result<const TrialResult*> choose_trial(const RunReport& report, std::optional<int> wanted) {
  if (report.trials.empty()) {
    return Error(Errc::kInvalidPlan, "the run has measured no trial yet");
  }
  if (!wanted) {
    const auto worst = std::ranges::max_element(report.trials, {}, badness);
    return &*worst;
  }
  const auto found = std::ranges::find(report.trials, *wanted, &TrialResult::id);
  if (found == report.trials.end()) {
    return Error(Errc::kInvalidPlan,
                 fmt::format("the run has no trial {} (or has not begun it)", *wanted));
  }
  return &*found;
}

Result<size_t> choose_outlier(const TrialResult& trial, std::optional<size_t> wanted) {
  if (!wanted) {
    const auto worst = std::ranges::max_element(trial.outliers, {}, &OutlierResult::latency_us);
    return worst == trial.outliers.end() ? size_t{0}
                                         : static_cast<size_t>(worst - trial.outliers.begin());
  }
  if (*wanted >= trial.outliers.size()) {
    return Error(Errc::kInvalidPlan, fmt::format("trial {} has {} outliers, not {}", trial.id,
                                                 trial.outliers.size(), *wanted + 1));
  }
  return *wanted;
}

}  // namespace rtsweep
