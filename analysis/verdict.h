// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rtsweep {

// What a trial's number is worth. See docs/reducing-variance.md for every reason.
//
//   PASS     measured as planned, and within the limit (or no limit was set)
//   FAIL     measured as planned, and the limit was exceeded
//   INVALID  a number came out that cannot be believed; it is never used
//   ERROR    no number: the suite, the kernel or the machine failed to do its work
enum class Verdict { kPass, kFail, kInvalid, kError };

std::string_view verdict_name(Verdict verdict);  // "PASS", ...

enum class Severity { kNote, kWarning, kFail, kInvalid, kError };

std::string_view severity_name(Severity severity);  // "note", ...

// One thing that was found out about a trial.
struct Reason {
  std::string code;  // stable: scripts match it, docs/reducing-variance.md has it as a heading
  Severity severity = Severity::kInvalid;
  std::string text;  // one plain sentence: what happened, and what to do

  bool operator==(const Reason&) const = default;
};

// Gives the reasons the severities that the user asked for, by code, and says so in their
// text. Errors and exceeded limits stay what they are.
void change_severities(std::vector<Reason>& reasons,
                       const std::map<std::string, Severity>& severities);

// The worst severity decides; without reasons, or with notes and warnings only: PASS.
Verdict verdict_of(const std::vector<Reason>& reasons);

}  // namespace rtsweep
