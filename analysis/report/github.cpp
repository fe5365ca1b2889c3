// SPDX-License-Identifier: GPL-2.0-or-later

// Annotations for GitHub Actions: workflow commands on standard output. The step summary is the
// Markdown report: `rtsweep report DIR --format md >> "$GITHUB_STEP_SUMMARY"`.

#include <fmt/format.h>

#include "analysis/report/ci.h"
#include "analysis/report/ci_escape.h"
#include "analysis/report/render.h"
#include "analysis/report/wording.h"

namespace rtsweep {
namespace {

// GitHub shows ten errors, ten warnings and ten notices of a step, and drops the others without
// a word: the last one says how many there were.
constexpr size_t kShown = 10;

class Annotations {
 public:
  explicit Annotations(std::string_view kind) : kind_(kind) {}

  void add(const std::string& title, const std::string& message) {
    if (++count_ < kShown) {
      out_ += github_command(kind_, title, message);
    } else {
      last_ = github_command(kind_, title, message);
    }
  }

  std::string take() const {
    if (count_ <= kShown) return out_ + last_;
    return out_ + github_command(kind_, "rtsweep",
                                 fmt::format("and {} more: see the report", count_ - (kShown - 1)));
  }

 private:
  std::string_view kind_;
  std::string out_, last_;
  size_t count_ = 0;
};

}  // namespace

std::string render_github(const RunReport& report) {
  const ReportCells cells(report);
  Annotations errors("error"), warnings("warning"), notices("notice");
  if (const std::string text = incomplete_text(report); !text.empty()) {
    errors.add("INCOMPLETE", text + ": this run says nothing of the others");
  }
  for (const TrialResult& trial : report.trials) {
    const CiCase test = ci_case_of(cells, trial);
    const std::string title =
        fmt::format("{}: {}, {}", verdict_name(trial.verdict), test.group, test.name);
    if (trial.verdict != Verdict::kPass) errors.add(title, test.summary);
    for (const Reason& reason : trial.reasons) {
      if (reason.severity == Severity::kWarning)
        warnings.add(title, reason.code + ": " + reason.text);
    }
  }
  for (const auto& [cell, why] : report.impossible) {
    notices.add("not possible here: " + cells.name_of(cell), why);
  }
  notices.add("rtsweep", progress_text(report));
  return errors.take() + warnings.take() + notices.take();
}

}  // namespace rtsweep
