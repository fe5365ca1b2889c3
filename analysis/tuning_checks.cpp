// SPDX-License-Identifier: GPL-2.0-or-later

// Requested tuning is not effective tuning: each file is compared with its read-back.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/reason_catalogue.h"
#include "analysis/trial_check_parts.h"

namespace rtsweep::checks {
namespace {

constexpr char kNotEffective[] = "tuning_not_effective";
constexpr char kNotRestored[] = "tuning_not_restored";

std::string shown(const std::optional<std::string>& value) {
  return value ? fmt::format("\"{}\"", *value) : "no value that can be read";
}

std::string what_it_is(const TuningResult& result) {
  if (!result.error.empty()) {
    return fmt::format("{} could not be set to \"{}\": {}", result.file, result.wanted,
                       result.error);
  }
  if (!result.effective || !same_setting(result.wanted, *result.effective)) {
    return fmt::format("{} was set to \"{}\" and has {}", result.file, result.wanted,
                       shown(result.effective));
  }
  return fmt::format("{} was set to \"{}\" and had {} at the end", result.file, result.wanted,
                     shown(result.at_end));
}

std::string what_it_stays(const TuningResult& result) {
  return fmt::format("{} has {} instead of {}", result.file, shown(result.restored),
                     shown(result.before));
}

// One reason for each setting: its first file, with the number of those that follow.
void add_by_setting(const std::vector<TuningResult>& results, const char* code,
                    bool (*good)(const TuningResult&), std::string (*tell)(const TuningResult&),
                    Reasons& reasons) {
  std::vector<std::string_view> told;
  for (const TuningResult& result : results) {
    if (good(result) || std::ranges::find(told, result.setting) != told.end()) continue;
    told.push_back(result.setting);
    const auto bad = std::ranges::count_if(results, [&](const TuningResult& other) {
      return other.setting == result.setting && !good(other);
    });
    const std::string more = bad > 1 ? fmt::format(", and {} more", bad - 1) : "";
    reasons.push_back(
        make_reason(code, fmt::format("{}: {}{}", result.setting, tell(result), more)));
  }
}

}  // namespace

void check_tuning(const TrialEvidence& evidence, Reasons& reasons) {
  if (evidence.tuning) {
    add_by_setting(*evidence.tuning, kNotEffective, was_effective, what_it_is, reasons);
    return;
  }
  if (evidence.tuned && evidence.ending == TrialEnding::kComplete) {
    reasons.push_back(make_reason(kNotEffective, "the trial does not say what became of [tuning]"));
  }
}

void check_tuning_was_undone(const TrialEvidence& evidence, Reasons& reasons) {
  if (!evidence.tuning) return;
  add_by_setting(*evidence.tuning, kNotRestored, was_restored, what_it_stays, reasons);
}

}  // namespace rtsweep::checks
