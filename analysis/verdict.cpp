// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/verdict.h"

#include <algorithm>
#include <array>

namespace rtsweep {

std::string_view verdict_name(Verdict verdict) {
  static constexpr std::array<std::string_view, 4> kNames = {"PASS", "FAIL", "INVALID", "ERROR"};
  return kNames.at(static_cast<size_t>(verdict));
}

std::string_view severity_name(Severity severity) {
  static constexpr std::array<std::string_view, 5> kNames = {"note", "warning", "fail", "invalid",
                                                             "error"};
  return kNames.at(static_cast<size_t>(severity));
}

void change_severities(std::vector<Reason>& reasons,
                       const std::map<std::string, Severity>& severities) {
  for (Reason& reason : reasons) {
    const auto wanted = severities.find(reason.code);
    if (wanted == severities.end() || wanted->second == reason.severity) continue;
    if (reason.severity == Severity::kError || reason.severity == Severity::kFail) continue;
    reason.text += " (The plan makes this " + std::string(severity_name(wanted->second)) +
                   " instead of " + std::string(severity_name(reason.severity)) + ".)";
    reason.severity = wanted->second;
  }
}

Verdict verdict_of(const std::vector<Reason>& reasons) {
  Severity worst = Severity::kNote;
  for (const Reason& reason : reasons) worst = std::max(worst, reason.severity);
  switch (worst) {
    case Severity::kError:
      return Verdict::kError;
    case Severity::kInvalid:
      return Verdict::kInvalid;
    case Severity::kFail:
      return Verdict::kFail;
    default:
      return Verdict::kPass;
  }
}

}  // namespace rtsweep
