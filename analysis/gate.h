// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/run_report.h"
#include "analysis/statistics/compare.h"
#include "runner/base/result.h"

namespace rtsweep {

enum class GateAnswer { kPass, kFail, kInvalid };

std::string_view gate_answer_name(GateAnswer answer);  // "PASS", "FAIL", "INVALID"

// One thing that a gate looked at.
struct GateCheck {
  std::string kind;  // "complete", "limit", "rate", "samples", "tail", "plan"
  std::string name;  // the cell, or the trial
  GateAnswer answer = GateAnswer::kInvalid;
  std::string text;  // one sentence, with the numbers and the error rates
};

struct Gate {
  std::string run;
  std::string baseline;  // the run that it was recorded from; empty: none
  std::vector<GateCheck> checks;

  // FAIL if any check failed: what was seen, was seen. Else INVALID if any could not be made, or
  // if nothing was checked at all.
  GateAnswer answer() const;
  size_t count(GateAnswer answer) const;
};

// The limits of the plan, cell by cell, and whether the run is complete. A cell with an INVALID or
// ERROR trial is INVALID unless another of its trials failed.
std::vector<GateCheck> gate_limits(const RunReport& report);

// "At most `per_hour` events above `limit_us`": an acceptance plan.
struct RateLimit {
  int64_t limit_us = 0;
  double per_hour = 0;
  double alpha = 0.05;  // the chance that a system at the limit passes
};

// Does each cell keep to the rate? Samples past the limit are counted as events, also when one
// cause delayed several CPUs: never fewer events than there were. A cell that was not measured
// long enough for any plan is INVALID, with the time it needs, unless it is bad for certain
// already (evidence_of_bad). Only in real time: virtual time knows no rates.
std::vector<GateCheck> gate_rate(const RunReport& report, const RateLimit& limit);

// Before the run: can trials of `duration_s`, `repetitions` of each cell, decide this limit?
GateCheck gate_plan(double duration_s, int repetitions, const RateLimit& limit);

// Against a baseline. Trials in virtual time whose kernel image, emulator, probe, cell and
// repetition are those of the baseline must repeat it, every sample. All others are compared as
// `rtsweep compare` does. What only one of the two has is INVALID: record the baseline again.
std::vector<GateCheck> gate_baseline(const RunReport& report, const RunReport& baseline,
                                     const statistics::CompareRules& rules);

}  // namespace rtsweep
