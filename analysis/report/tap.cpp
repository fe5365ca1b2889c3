// SPDX-License-Identifier: GPL-2.0-or-later

// TAP, the Test Anything Protocol: prove, kselftest's and autotools' harnesses. Version 13, which
// readers of version 14 read, too. Everything but PASS is "not ok"; the verdict and its reasons
// are in the YAML block under it.

#include <fmt/format.h>

#include "analysis/report/ci.h"
#include "analysis/report/ci_escape.h"
#include "analysis/report/render.h"
#include "analysis/report/wording.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

std::string yaml_of(const TrialResult& trial) {
  std::string text = fmt::format("  ---\n  verdict: {}\n", verdict_name(trial.verdict));
  if (const auto maximum = ci_maximum_us(trial)) {
    text += fmt::format("  max_us: {}\n  samples: {}\n", *maximum, trial.samples());
  }
  if (trial.limit_us) text += fmt::format("  limit_us: {}\n", *trial.limit_us);
  text += fmt::format("  clock: {}\n", trial.virtual_clock ? "virtual" : "real");
  if (!trial.reasons.empty()) text += "  reasons:\n";
  for (const Reason& reason : trial.reasons) {
    text += fmt::format("    - code: {}\n      text: {}\n", yaml_quoted(reason.code),
                        yaml_quoted(reason.text));
  }
  return text + "  ...\n";
}

class TapPage {
 public:
  void test(bool ok, const std::string& name, const std::string& tail) {
    out_ += fmt::format("{} {} - {}{}", ok ? "ok" : "not ok", ++tests_, tap_escaped(name), tail);
  }
  std::string take() { return fmt::format("TAP version 13\n1..{}\n", tests_) + out_; }

 private:
  size_t tests_ = 0;
  std::string out_;
};

}  // namespace

std::string render_tap(const RunReport& report) {
  const ReportCells cells(report);
  TapPage page;
  for (const TrialResult& trial : report.trials) {
    const CiCase test = ci_case_of(cells, trial);
    page.test(trial.verdict == Verdict::kPass, test.group + ", " + test.name,
              "\n" + yaml_of(trial));
  }
  for (const auto& [cell, why] : report.impossible) {
    page.test(true, cells.name_of(cell), " # SKIP " + tap_escaped(why) + "\n");
  }
  const std::string incomplete = incomplete_text(report);
  page.test(
      incomplete.empty(), "the run is complete",
      incomplete.empty() ? "\n" : "\n  ---\n  message: " + yaml_quoted(incomplete) + "\n  ...\n");
  return page.take();
}

}  // namespace rtsweep
