// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/plan/duration.h"
#include "runner/plan/outlook.h"
#include "runner/plan/text_layout.h"

namespace rtsweep {
namespace {

// Trials that are impossible for the same reason, with the mark that stands for it.
struct SharedReason {
  std::string text;
  std::string mark;  // "(a)"
  std::vector<int> trials;
};

// (a) ... (z), (27), ...
std::string mark_of(size_t index) {
  return index < 26 ? fmt::format("({})", static_cast<char>('a' + index))
                    : fmt::format("({})", index + 1);
}

std::vector<SharedReason> reasons_of(const PlanOutlook& outlook) {
  std::vector<SharedReason> reasons;
  for (const TrialOutlook& trial : outlook.trials) {
    if (!trial.impossible) continue;
    auto reason = std::ranges::find(reasons, *trial.impossible, &SharedReason::text);
    if (reason == reasons.end()) {
      reasons.push_back({*trial.impossible, mark_of(reasons.size()), {}});
      reason = std::prev(reasons.end());
    }
    reason->trials.push_back(trial.trial.id);
  }
  return reasons;
}

std::string note_of(const TrialOutlook& trial, std::span<const SharedReason> reasons) {
  if (!trial.impossible) return "";
  return "impossible " + std::ranges::find(reasons, *trial.impossible, &SharedReason::text)->mark;
}

std::string shown_level(const std::string& level) { return level.empty() ? "\"\"" : level; }

std::string head_text(const Plan& plan, size_t width) {
  const std::string where =
      plan.target == "vm"
          ? fmt::format("in VMs with a {} clock", plan.virtual_clock ? "virtual" : "real")
          : "on this machine with its running kernel";
  std::string head =
      fmt::format("{} ({}): {} {}, priority {}, every {} us for {}; seed {}, {} repetition{}",
                  plan.name, plan.file.string(), plan.probe, where, plan.priority, plan.interval_us,
                  duration_text(std::chrono::seconds(plan.duration_s)), plan.seed, plan.repetitions,
                  plan.repetitions == 1 ? "" : "s");
  for (const Factor& factor : plan.factors) {
    if (factor.levels.size() > 1) continue;
    head += fmt::format("; {} {}", factor.name, shown_level(factor.levels.front()));
  }
  return wrapped(head, 0, width);
}

std::vector<const Factor*> varied_factors(const Plan& plan) {
  std::vector<const Factor*> varied;
  for (const Factor& factor : plan.factors) {
    if (factor.levels.size() > 1) varied.push_back(&factor);
  }
  return varied;
}

std::optional<std::string> trials_table(const Plan& plan, const PlanOutlook& outlook,
                                        std::span<const SharedReason> reasons, size_t width) {
  const auto factors = varied_factors(plan);
  std::vector<std::vector<std::string>> rows = {{"trial", "block"}};
  for (const Factor* factor : factors) rows.front().push_back(factor->name);
  for (const TrialOutlook& trial : outlook.trials) {
    std::vector<std::string> row = {fmt::format("{:>5}", trial.trial.id),
                                    fmt::format("{:>5}", trial.trial.repetition)};
    for (const Factor* factor : factors) {
      row.push_back(shown_level(trial.trial.cell.at(factor->name)));
    }
    row.push_back(note_of(trial, reasons));
    rows.push_back(std::move(row));
  }
  return columns(rows, width);
}

// For narrow terminals: a trial is a line that wraps.
std::string trials_lines(const Plan& plan, const PlanOutlook& outlook,
                         std::span<const SharedReason> reasons, size_t width) {
  std::string lines;
  for (const TrialOutlook& trial : outlook.trials) {
    std::string line = fmt::format("{} (block {})", trial.trial.id, trial.trial.repetition);
    for (const Factor* factor : varied_factors(plan)) {
      line += fmt::format(" {}={}", factor->name, shown_level(trial.trial.cell.at(factor->name)));
    }
    lines += wrapped(line + " " + note_of(trial, reasons), 0, width);
  }
  return lines;
}

std::string reasons_text(std::span<const SharedReason> reasons, size_t width) {
  if (reasons.empty()) return "";
  std::string text = "\nimpossible on this machine:\n";
  for (const SharedReason& reason : reasons) {
    text += fmt::format("  {}\n", reason.mark) + wrapped(reason.text, 6, width);
    text += wrapped(
        fmt::format("trial{} {}", reason.trials.size() == 1 ? "" : "s", ranges_text(reason.trials)),
        6, width);
  }
  return text;
}

// Minutes are all that such a guess is good for.
std::string about(std::chrono::seconds expected) {
  if (expected < std::chrono::minutes(2)) return duration_text(expected);
  return duration_text(std::chrono::ceil<std::chrono::minutes>(expected));
}

std::string budget_text(const Plan& plan, std::chrono::seconds expected) {
  if (!plan.budget) return "";
  return fmt::format(", {} the budget of {}", expected <= *plan.budget ? "within" : "MORE THAN",
                     duration_text(*plan.budget));
}

std::string total_text(const Plan& plan, const PlanOutlook& outlook, size_t width) {
  std::string text =
      fmt::format("{} of {} trials possible", outlook.possible, outlook.trials.size());
  if (outlook.possible > 0) {
    text += fmt::format("; expected time about {}{}{}", about(outlook.expected),
                        plan.target == "vm" ? fmt::format(" with {} VM{} at once", outlook.jobs,
                                                          outlook.jobs == 1 ? "" : "s")
                                            : "",
                        budget_text(plan, outlook.expected));
  }
  return "\n" + wrapped(text, 0, width);
}

}  // namespace

std::string outlook_text(const Plan& plan, const PlanOutlook& outlook, size_t width) {
  const std::vector<SharedReason> reasons = reasons_of(outlook);
  const auto table = trials_table(plan, outlook, reasons, width);
  return head_text(plan, width) + "\n" +
         (table ? *table : trials_lines(plan, outlook, reasons, width)) +
         reasons_text(reasons, width) + total_text(plan, outlook, width);
}

}  // namespace rtsweep
