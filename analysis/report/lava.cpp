// SPDX-License-Identifier: GPL-2.0-or-later

// Signals for LAVA: its dispatcher reads them from the device's console, as lava-test-case writes
// them. LAVA knows pass, fail, skip and unknown: INVALID is unknown, ERROR is fail without a
// measurement. An id stays the same over all runs of a plan, so that LAVA can chart it.

#include <fmt/format.h>

#include "analysis/report/ci.h"
#include "analysis/report/render.h"

namespace rtsweep {
namespace {

std::string_view result_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kInvalid:
      return "unknown";
    case Verdict::kFail:
    case Verdict::kError:
      break;
  }
  return "fail";
}

// The units of LAVA are free text; cyclictest's own parser in test-definitions says "us".
std::string signal(std::string_view id, std::string_view result,
                   std::optional<int64_t> maximum_us) {
  std::string text = fmt::format("<LAVA_SIGNAL_TESTCASE TEST_CASE_ID={} RESULT={}", id, result);
  if (maximum_us) text += fmt::format(" UNITS=us MEASUREMENT={}", *maximum_us);
  return text + ">\n";
}

}  // namespace

std::string render_lava(const RunReport& report) {
  const ReportCells cells(report);
  std::string out = fmt::format("<LAVA_SIGNAL_TESTSET START {}>\n",
                                slug(report.name.empty() ? "rtsweep" : report.name));
  for (const TrialResult& trial : report.trials) {
    // Without the number in the plan's order, which a new level would change.
    const std::string id = ci_case_of(cells, trial).id;
    out += signal(id.substr(id.find('_') + 1), result_of(trial.verdict), ci_maximum_us(trial));
  }
  for (const auto& [cell, why] : report.impossible) {
    out += signal(slug(cells.name_of(cell)), "skip", std::nullopt);
  }
  out += signal("run-complete", incomplete_text(report).empty() ? "pass" : "fail", std::nullopt);
  return out + "<LAVA_SIGNAL_TESTSET STOP>\n";
}

}  // namespace rtsweep
