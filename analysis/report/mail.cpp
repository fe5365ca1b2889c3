// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/mail.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/kernel_version.h"
#include "analysis/report/mail_parts.h"
#include "analysis/report/text_page.h"
#include "analysis/report/wording.h"
#include "analysis/trace/explanation_text.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr size_t kMostFindings = 5;

std::string release_of(const TrialResult& trial) {
  return trial.facts ? trial.facts->kernel_release : level(trial, "kernel");
}

std::string load_of(const TrialResult& trial) {
  const std::string load = level(trial, "load");
  return load.empty() || load == "idle" ? "an idle machine" : load;
}

const OutlierResult* outlier_of(const MailContent& content) {
  const auto& outliers = content.trial.outliers;
  return content.outlier < outliers.size() ? &outliers[content.outlier] : nullptr;
}

std::string worst_text(const MailContent& content) {
  const OutlierResult* outlier = outlier_of(content);
  if (outlier != nullptr) return fmt::format("{} us", outlier->latency_us);
  const auto max = content.trial.max_us();
  return max ? fmt::format("{} us", *max) : "an unknown latency";
}

void write_head(TextPage& page, const MailContent& content) {
  const auto range = regression_range(content.report, content.trial);
  page.line("To: linux-rt-users@vger.kernel.org");
  page.line(range ? "Cc: regressions@lists.linux.dev, linux-kernel@vger.kernel.org"
                  : "Cc: linux-kernel@vger.kernel.org");
  const std::string subject =
      fmt::format("{}wakeup latency of {} on {} {} beside {}", range ? "[REGRESSION] " : "",
                  worst_text(content), release_of(content.trial),
                  content.trial.facts ? content.trial.facts->machine : "", load_of(content.trial));
  page.wrapped(subject, 1, "Subject: ");
  page.line();
}

void write_summary(TextPage& page, const MailContent& content) {
  const TrialResult& trial = content.trial;
  const OutlierResult* outlier = outlier_of(content);
  std::string text = fmt::format("{} saw a wakeup latency of {}", trial.probe, worst_text(content));
  if (outlier != nullptr) text += fmt::format(" on CPU {}", outlier->cpu);
  text += fmt::format(" with Linux {} beside {}", release_of(trial), load_of(trial));
  if (trial.limit_us) text += fmt::format(". The limit is {} us", *trial.limit_us);
  text += fmt::format(". {} samples in {:g} s of {} time; the verdict is {}.",
                      grouped(trial.samples()), trial.duration_s,
                      trial.virtual_clock ? "virtual" : "real", verdict_name(trial.verdict));
  page.wrapped(text);
  for (const Reason& reason : trial.reasons) {
    page.wrapped(reason.code + ": " + reason.text, 4, "  - ");
  }
  page.line();
  if (const auto range = regression_range(content.report, trial)) {
    page.wrapped(
        fmt::format("{} kept the limit in the same test, so this is a regression. It "
                    "was not bisected.",
                    range->first));
    page.line();
  }
}

void write_cause(TextPage& page, const MailContent& content) {
  if (content.outlier >= content.explanations.size()) return;
  page.heading("Cause", '-');
  const Explanation& one = content.explanations[content.outlier];
  write_lines(page, explanation_text(one, {.width = TextPage::kWidth}));
  page.line();
}

void write_findings(TextPage& page, const MailContent& content) {
  const auto& findings = content.trial.correlations;
  if (findings.empty()) return;
  page.heading("What the hits have in common", '-');
  for (size_t i = 0; i < std::min(findings.size(), kMostFindings); ++i) {
    page.wrapped(findings[i].text, 2, "- ");
    page.wrapped(fmt::format("({}, p = {:.1g})", findings[i].test, findings[i].p_value), 2, "  ");
    for (const std::string& hint : findings[i].hints) page.wrapped(hint, 4, "  ");
  }
  page.line();
}

void write_excerpt(TextPage& page, const MailContent& content) {
  if (content.excerpt.empty()) return;
  page.heading("Trace around it", '-');
  page.line("us after the timer's programmed expiry; [priority] as the kernel counts");
  page.line("it; all of it is in the bundle.");
  page.line();
  for (const std::string& line : content.excerpt)
    page.line(clip(printable(line), TextPage::kWidth));
  page.line();
}

void write_regzbot(TextPage& page, const MailContent& content) {
  if (const auto range = regression_range(content.report, content.trial)) {
    page.line(fmt::format("#regzbot introduced: {}..{}", range->first, range->second));
    page.wrapped(
        fmt::format("wakeup latency of {} beside {}", worst_text(content), load_of(content.trial)),
        0, "#regzbot title: ");
    return;
  }
  page.wrapped(
      "If an older kernel does better, this is a regression: Cc regressions@lists.linux.dev and "
      "put \"#regzbot introduced: GOOD..BAD\" (tags, or the commit that a bisection found) on a "
      "line of its own.");
}

}  // namespace

std::string render_mail(const MailContent& content) {
  TextPage page;
  write_head(page, content);
  write_summary(page, content);
  write_cause(page, content);
  write_findings(page, content);
  write_numbers(page, content);
  write_reproduction(page, content);
  write_machine(page, content);
  write_excerpt(page, content);
  write_attachment(page, content);
  write_regzbot(page, content);
  return page.take();
}

std::optional<std::pair<std::string, std::string>> regression_range(const RunReport& report,
                                                                    const TrialResult& trial) {
  const auto bad = upstream_version(release_of(trial));
  if (!bad || trial.verdict != Verdict::kFail) return std::nullopt;
  std::map<UpstreamVersion, bool> kept;  // by every repetition
  for (const TrialResult& other : report.trials) {
    if (!same_but_kernel(other, trial) || !other.usable()) continue;
    const auto version = upstream_version(release_of(other));
    if (!version || !(*version < *bad)) continue;
    const bool passed = other.verdict == Verdict::kPass;
    const auto [known, added] = kept.emplace(*version, passed);
    if (!added) known->second = known->second && passed;
  }
  for (auto it = kept.rbegin(); it != kept.rend(); ++it) {
    if (it->second) return std::make_pair(upstream_tag(it->first), upstream_tag(*bad));
  }
  return std::nullopt;
}

}  // namespace rtsweep
