// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>

#include "analysis/report/cells.h"

namespace rtsweep {

// What the formats that CI systems read have in common. They all know tests that pass or fail;
// rtsweep has four verdicts. The rule for all of them: only PASS is green, FAIL alone says that
// the kernel is too slow, and INVALID and ERROR are told apart by their type or their text.
// A cell that is impossible is skipped. A run that is not complete has one case that says so, so
// that a run cut short is never green.

// One trial as a test case.
struct CiCase {
  std::string group;    // the configuration: "6.1-rt arm64"
  std::string name;     // "hackbench, repetition 2"
  std::string id;       // letters, digits, '.', '_', '-'; unique: "003_6.1-rt_arm64_hackbench_r1"
  std::string summary;  // "maximum 208 us of 100 samples (limit 150 us)"; why there is none
  std::string details;  // every reason, a line each: "limit_exceeded: The maximum ..."
};

CiCase ci_case_of(const ReportCells& cells, const TrialResult& trial);

// Nothing when the run is complete; else "10 of 12 planned trials were measured".
std::string incomplete_text(const RunReport& report);

// The number a CI system keeps of a trial: nothing unless it can be believed.
std::optional<int64_t> ci_maximum_us(const TrialResult& trial);

// Letters, digits, '.', '_' and '-' only; every other character becomes '_'. "unnamed" if empty.
std::string slug(std::string_view text);

// Does it read "2026-08-30T21:00:00Z", and nothing else?
bool is_utc_time(std::string_view text);

}  // namespace rtsweep
