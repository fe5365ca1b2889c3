// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analysis/verdict.h"

namespace rtsweep {

// A kind of thing that can be found out about a trial. Codes are a contract with users'
// scripts: one is never renamed, and each is a heading of docs/reducing-variance.md.
struct ReasonEntry {
  std::string_view code;
  Severity severity;
  std::string_view advice;  // what to do, to stand behind what happened
};

// All of them, by severity, the worst first.
std::span<const ReasonEntry> reason_catalogue();

// Null when no reason has that code.
const ReasonEntry* find_reason(std::string_view code);

// "WHAT; ADVICE.", with the code's severity. The code must be in the catalogue.
Reason make_reason(std::string_view code, std::string_view what);

}  // namespace rtsweep
