// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/run_comparison.h"
#include "analysis/statistics/acceptance_plan.h"
#include "analysis/statistics/early_stopping.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

// The trials of each cell and clock, in the order of measurement.
struct CellGroup {
  Cell cell;
  bool virtual_clock = false;
  std::vector<const TrialResult*> trials;
};

std::vector<CellGroup> groups_of(const RunReport& report) {
  std::vector<CellGroup> groups;
  for (const TrialResult& trial : report.trials) {
    auto group = std::ranges::find_if(groups, [&](const CellGroup& g) {
      return g.cell == trial.cell && g.virtual_clock == trial.virtual_clock;
    });
    if (group == groups.end()) {
      groups.push_back({trial.cell, trial.virtual_clock, {}});
      group = groups.end() - 1;
    }
    group->trials.push_back(&trial);
  }
  return groups;
}

// "kernel=6.1-rt load=idle"
std::string name_of(const Cell& cell) {
  std::vector<std::string> levels;
  for (const auto& [factor, level] : cell) levels.push_back(factor + "=" + level);
  return levels.empty() ? "all" : join(levels, " ");
}

GateCheck complete(const RunReport& report) {
  const auto measured = static_cast<int>(report.trials.size());
  const bool all = measured >= report.planned && measured > 0;
  return {.kind = "complete",
          .name = "run",
          .answer = all ? GateAnswer::kPass : GateAnswer::kInvalid,
          .text = fmt::format("{} of {} planned trials were measured.", measured, report.planned)};
}

std::string reason_codes(const std::vector<const TrialResult*>& trials) {
  std::vector<std::string> parts;
  for (const TrialResult* trial : trials) {
    if (trial->usable()) continue;
    std::vector<std::string> codes;
    for (const Reason& reason : trial->reasons) {
      if (reason.severity >= Severity::kFail) codes.push_back(reason.code);
    }
    parts.push_back(
        fmt::format("#{} {} ({})", trial->id, verdict_name(trial->verdict), join(codes, ", ")));
  }
  return join(parts, "; ");
}

struct Worst {
  std::optional<int64_t> max_us, limit_us;
  uint64_t samples = 0;
  int usable = 0;
  bool failed = false;
};

Worst worst_of(const CellGroup& group) {
  Worst worst;
  for (const TrialResult* trial : group.trials) {
    if (!trial->usable()) continue;
    ++worst.usable;
    worst.samples += trial->samples();
    worst.max_us = std::max(worst.max_us, trial->max_us());
    worst.limit_us = trial->limit_us;
    if (trial->verdict == Verdict::kFail) worst.failed = true;
  }
  return worst;
}

GateCheck limit_check(const CellGroup& group) {
  GateCheck check{.kind = "limit", .name = name_of(group.cell)};
  const Worst worst = worst_of(group);
  const std::string unusable = reason_codes(group.trials);
  if (worst.failed) {
    check.answer = GateAnswer::kFail;
  } else if (unusable.empty() && worst.limit_us) {
    check.answer = GateAnswer::kPass;
  }
  if (worst.usable > 0) {
    check.text = fmt::format(
        "Maximum {} us of {} samples in {} trial{}, {}{}.", worst.max_us.value_or(-1),
        worst.samples, worst.usable, worst.usable == 1 ? "" : "s",
        worst.limit_us ? fmt::format("limit {} us", *worst.limit_us) : "without a limit",
        group.virtual_clock ? ", in virtual time" : "");
  }
  if (!unusable.empty()) check.text += " Not to be used: " + unusable + ".";
  return check;
}

// Samples past the limit. Overflows may be past it or not where the histogram ends below it: then
// all of them count.
uint64_t samples_above(const TrialResult& trial, int64_t limit_us) {
  const LatencyHistogram merged = trial.merged();
  uint64_t above = merged.overflows();
  for (auto it = merged.counts().upper_bound(Latency(limit_us)); it != merged.counts().end();
       ++it) {
    above += it->second;
  }
  return above;
}

// "1 per 24 h", "12.5 per hour"
std::string rate_text(double per_hour) {
  if (per_hour >= 1) return fmt::format("{:.3g} per hour", per_hour);
  return fmt::format("1 per {:.3g} h", 1 / per_hour);
}

std::string too_short_text(double hours, const RateLimit& limit) {
  const double none = statistics::exposure_needed(0, limit.alpha) / limit.per_hour;
  const double two = statistics::exposure_needed(2, limit.alpha) / limit.per_hour;
  return fmt::format(
      "{:.3g} h can prove at best {} above {} us. At most {} needs {:.3g} h without any event, or "
      "{:.3g} h with at most two; or gate the typical worst interval against a baseline.",
      hours, rate_text(statistics::least_rate_provable(hours, limit.alpha)), limit.limit_us,
      rate_text(limit.per_hour), none, two);
}

GateCheck rate_check(const CellGroup& group, const RateLimit& limit) {
  GateCheck check{.kind = "rate", .name = name_of(group.cell)};
  if (group.virtual_clock) {
    check.text = "Virtual time repeats one schedule: it has no rate of events per hour.";
    return check;
  }
  double hours = 0;
  uint64_t events = 0;
  for (const TrialResult* trial : group.trials) {
    if (!trial->usable()) continue;
    hours += trial->duration_s / 3600;
    events += samples_above(*trial, limit.limit_us);
  }
  if (hours <= 0) {
    check.text = "No trial can be used.";
    return check;
  }
  const std::string seen = fmt::format("{} event{} above {} us in {:.3g} h. ", events,
                                       events == 1 ? "" : "s", limit.limit_us, hours);
  // May be looked at at any time, so also before the plan's time is over.
  if (statistics::evidence_of_bad(events, limit.per_hour * hours) >= 1 / limit.alpha) {
    check.answer = GateAnswer::kFail;
    check.text = seen + fmt::format("The limit is {}; the chance of a wrong fail is below {:g} %.",
                                    rate_text(limit.per_hour), limit.alpha * 100);
    return check;
  }
  const auto plan = statistics::plan_for(limit.per_hour, hours, limit.alpha);
  if (!plan) {
    check.text = seen + too_short_text(hours, limit);
    return check;
  }
  const bool passed = statistics::passes(*plan, events, hours);
  check.answer = passed ? GateAnswer::kPass : GateAnswer::kFail;
  check.text = seen + plan->sentence();
  return check;
}

const KernelResult* kernel_of(const RunReport& report, const Cell& cell) {
  const auto name = cell.find("kernel");
  const auto arch = cell.find("arch");
  if (name == cell.end()) return nullptr;
  const auto found = std::ranges::find_if(report.kernels, [&](const KernelResult& kernel) {
    return kernel.name == name->second && (arch == cell.end() || kernel.arch == arch->second);
  });
  return found == report.kernels.end() ? nullptr : &*found;
}

// Must the one repeat the other exactly? What is not known is not the same.
bool same_identity(const RunReport& report, const TrialResult& trial, const RunReport& old_report,
                   const TrialResult& old) {
  const KernelResult* now = kernel_of(report, trial.cell);
  const KernelResult* then = kernel_of(old_report, old.cell);
  return trial.virtual_clock && old.virtual_clock && now != nullptr && then != nullptr &&
         !now->image_sha256.empty() && now->image_sha256 == then->image_sha256 &&
         !trial.probe_sha256.empty() && trial.probe_sha256 == old.probe_sha256 &&
         report.emulator == old_report.emulator &&
         report.rtsweep_version == old_report.rtsweep_version &&
         trial.ns_per_instruction == old.ns_per_instruction && trial.duration_s == old.duration_s;
}

const TrialResult* trial_like(const RunReport& report, const TrialResult& trial) {
  const auto found = std::ranges::find_if(report.trials, [&](const TrialResult& other) {
    return other.usable() && other.cell == trial.cell && other.repetition == trial.repetition;
  });
  return found == report.trials.end() ? nullptr : &*found;
}

// "CPU 0: 90 samples of 40 us, 89 in the baseline"; empty when all are the same.
std::string first_difference(const TrialResult& now, const TrialResult& then) {
  if (now.cpus.size() != then.cpus.size()) return "another number of CPUs";
  for (size_t i = 0; i < now.cpus.size(); ++i) {
    const LatencyHistogram& a = now.cpus[i].histogram;
    const LatencyHistogram& b = then.cpus[i].histogram;
    if (a == b && now.cpus[i].max_us == then.cpus[i].max_us) continue;
    std::map<Latency, std::pair<uint64_t, uint64_t>> both;
    for (const auto& [latency, times] : a.counts()) both[latency].first = times;
    for (const auto& [latency, times] : b.counts()) both[latency].second = times;
    for (const auto& [latency, times] : both) {
      if (times.first == times.second) continue;
      return fmt::format("CPU {}: {} samples of {} us, {} in the baseline", now.cpus[i].cpu,
                         times.first, latency.count(), times.second);
    }
    return fmt::format("CPU {}: samples past the histogram", now.cpus[i].cpu);
  }
  return "";
}

GateCheck sample_check(const TrialResult& now, const TrialResult& then) {
  const std::string difference = first_difference(now, then);
  GateCheck check{.kind = "samples",
                  .name = fmt::format("{} repetition={}", name_of(now.cell), now.repetition)};
  check.answer = difference.empty() ? GateAnswer::kPass : GateAnswer::kFail;
  check.text = difference.empty()
                   ? fmt::format("All {} samples are those of the baseline.", now.samples())
                   : fmt::format(
                         "The same kernel, emulator and probe in virtual time, and other "
                         "samples: {}.",
                         difference);
  return check;
}

GateAnswer answer_of(statistics::Answer answer) {
  switch (answer) {
    case statistics::Answer::kRegression:
      return GateAnswer::kFail;
    case statistics::Answer::kUnclear:
      return GateAnswer::kInvalid;
    default:
      return GateAnswer::kPass;
  }
}

GateCheck not_measured(const Cell& cell) {
  return {"tail", name_of(cell), GateAnswer::kInvalid,
          "In the baseline, and not measured by this run."};
}

}  // namespace

std::string_view gate_answer_name(GateAnswer answer) {
  static constexpr std::string_view kNames[] = {"PASS", "FAIL", "INVALID"};
  return kNames[static_cast<size_t>(answer)];
}

size_t Gate::count(GateAnswer wanted) const {
  return static_cast<size_t>(std::ranges::count(checks, wanted, &GateCheck::answer));
}

GateAnswer Gate::answer() const {
  if (count(GateAnswer::kFail) > 0) return GateAnswer::kFail;
  return checks.empty() || count(GateAnswer::kInvalid) > 0 ? GateAnswer::kInvalid
                                                           : GateAnswer::kPass;
}

std::vector<GateCheck> gate_limits(const RunReport& report) {
  std::vector<GateCheck> checks = {complete(report)};
  for (const CellGroup& group : groups_of(report)) checks.push_back(limit_check(group));
  return checks;
}

std::vector<GateCheck> gate_rate(const RunReport& report, const RateLimit& limit) {
  std::vector<GateCheck> checks;
  for (const CellGroup& group : groups_of(report)) checks.push_back(rate_check(group, limit));
  return checks;
}

GateCheck gate_plan(double duration_s, int repetitions, const RateLimit& limit) {
  const double hours = duration_s * repetitions / 3600;
  GateCheck check{.kind = "plan", .name = "each cell"};
  const auto plan = statistics::plan_for(limit.per_hour, hours, limit.alpha);
  check.answer = plan ? GateAnswer::kPass : GateAnswer::kInvalid;
  check.text = plan ? fmt::format("{:.3g} h of each cell can decide it. ", hours) + plan->sentence()
                    : too_short_text(hours, limit);
  if (plan && repetitions < 5) {
    check.text += " Boots differ: five repetitions or more keep the stated rates.";
  }
  return check;
}

std::vector<GateCheck> gate_baseline(const RunReport& report, const RunReport& baseline,
                                     const statistics::CompareRules& rules) {
  std::vector<GateCheck> checks;
  RunReport others = report;
  std::erase_if(others.trials, [&](const TrialResult& trial) {
    const TrialResult* old = trial_like(baseline, trial);
    if (!trial.usable() || old == nullptr || !same_identity(report, trial, baseline, *old)) {
      return false;
    }
    checks.push_back(sample_check(trial, *old));
    return true;
  });
  RunReport old_others = baseline;
  std::erase_if(old_others.trials, [&](const TrialResult& old) {
    const TrialResult* now = trial_like(report, old);
    return now != nullptr && same_identity(report, *now, baseline, old);
  });
  if (others.trials.empty()) {
    for (const TrialResult& old : old_others.trials) checks.push_back(not_measured(old.cell));
    return checks;
  }
  const auto compared = compare_runs(old_others, others, rules);
  if (!compared) {
    checks.push_back({"tail", "all", GateAnswer::kInvalid,
                      "Nothing to compare with the baseline: " + compared.error().message() + "."});
    return checks;
  }
  for (const ComparedCell& cell : compared->cells) {
    checks.push_back({"tail", name_of(cell.cell), answer_of(cell.result.answer), cell.sentence});
  }
  for (const Cell& cell : compared->only_old) {
    checks.push_back(not_measured(cell));
  }
  for (const Cell& cell : compared->only_new) {
    checks.push_back(
        {"tail", name_of(cell), GateAnswer::kInvalid, "Not in the baseline: record it again."});
  }
  return checks;
}

}  // namespace rtsweep
