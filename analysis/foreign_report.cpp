// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/foreign_report.h"

#include <algorithm>

#include "analysis/trial_checks.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr char kFactor[] = "file";

// cyclictest's uname, or the "# Kernel: 4.0.8-rt6 #1 SMP ..." of a wrapper.
std::optional<MachineFacts> facts_in(const CyclictestRun& run) {
  MachineFacts facts{.kernel_release = run.sysinfo.release,
                     .kernel_version = run.sysinfo.version,
                     .machine = run.sysinfo.machine};
  if (const auto kernel = run.header.find("Kernel"); kernel != run.header.end()) {
    const std::string_view line = trim(kernel->second);
    const size_t end = std::min(line.find(' '), line.size());
    facts.kernel_release = line.substr(0, end);
    facts.kernel_version = trim(line.substr(end));
  }
  if (facts == MachineFacts{}) return std::nullopt;
  return facts;
}

TrialResult trial_of(const CyclictestRun& run, int id) {
  TrialResult trial{.id = id,
                    .cell = {{kFactor, run.source}},
                    .reasons = judge_latencies(run),
                    .probe = "cyclictest",
                    .probe_version = run.version,
                    .cpus = cpu_results(run),
                    .facts = facts_in(run),
                    .started = run.start_time,
                    .ended = run.end_time};
  trial.verdict = verdict_of(trial.reasons);
  return trial;
}

}  // namespace

RunReport foreign_report(const std::vector<CyclictestRun>& runs) {
  RunReport report{.name = "imported results", .run = "import", .factors = {kFactor}};
  report.planned = static_cast<int>(runs.size());
  for (const CyclictestRun& run : runs) {
    report.levels[kFactor].push_back(run.source);
    report.trials.push_back(trial_of(run, static_cast<int>(report.trials.size()) + 1));
  }
  return report;
}

}  // namespace rtsweep
