// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/run/evaluate.h"

#include <algorithm>
#include <cmath>

#include "analysis/correlate.h"
#include "analysis/tracer_samples.h"
#include "analysis/trial_checks.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/boot/qemu.h"
#include "runner/boot/vm_results.h"
#include "runner/run/journal.h"
#include "runner/run/raw_files.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

constexpr size_t kConsoleTailLines = 40;

TrialEnding ending_of(const RawTrial& raw) {
  // A trial whose runner was killed counts all the same if it had come to its end.
  if (!raw.end) return raw.complete ? TrialEnding::kComplete : TrialEnding::kInterrupted;
  if (!raw.error.empty()) return TrialEnding::kFailed;
  switch (raw.end->kind) {
    case TrialEnd::Kind::kComplete:
      return TrialEnding::kComplete;
    case TrialEnd::Kind::kBootTimeout:
      return TrialEnding::kBootTimeout;
    case TrialEnd::Kind::kTrialTimeout:
      return TrialEnding::kHung;
    case TrialEnd::Kind::kVmDied:
      return TrialEnding::kVmDied;
    case TrialEnd::Kind::kNotDeterministic:
      return TrialEnding::kNotDeterministic;
    case TrialEnd::Kind::kStopped:
      return TrialEnding::kInterrupted;
    case TrialEnd::Kind::kFailed:
      return TrialEnding::kFailed;
  }
  return TrialEnding::kFailed;
}

const KernelResult* kernel_of(const RunMachines& machines, const std::string& name,
                              const std::string& arch) {
  const auto it = std::ranges::find_if(machines.kernels, [&](const KernelResult& kernel) {
    return kernel.name == name && kernel.arch == arch;
  });
  return it == machines.kernels.end() ? nullptr : &*it;
}

PlannedProbe planned_probe(const Plan& plan, const Cell& cell) {
  return {.name = plan.probe,
          .priority = plan.priority,
          .interval_us = plan.interval_us,
          .duration_s = plan.duration_s,
          .histogram_us = plan.histogram_us,
          .limit_us = plan.limit_us,
          .breakpoint_us = plan.capture.breakpoint_us > 0
                               ? std::optional(plan.capture.breakpoint_us)
                               : std::nullopt,
          .cpus = plan.cpus,
          .memory = level_of(cell, "probe_memory")};
}

// A machine that does not have its kernel's configuration at hand: the one that the
// kernel's package came with.
std::optional<MachineFacts> with_kernel_options(std::optional<MachineFacts> facts,
                                                const KernelResult* kernel) {
  if (facts && kernel != nullptr && facts->kernel_config.empty()) {
    facts->kernel_config = kernel->options;
  }
  return facts;
}

TrialEvidence evidence_of(const RunDirectory& run, const PlannedTrial& trial, const RawTrial& raw) {
  const Plan& plan = run.plan();
  TrialEvidence evidence;
  evidence.ending = ending_of(raw);
  evidence.ending_message = !raw.error.empty() ? raw.error : raw.end ? raw.end->message : "";
  evidence.planned = planned_probe(plan, trial.cell);
  evidence.expect_rt = plan.expect_rt;
  const RunMachines machines = run.read_machines();
  const KernelResult* kernel =
      kernel_of(machines, level_of(trial.cell, "kernel"), kernel_arch(plan, trial.cell));
  if (kernel != nullptr) {
    evidence.expected_release = kernel->release;
    // Where the plan measures non-RT kernels on purpose, each must be what its config says.
    if (!plan.expect_rt) evidence.expect_rt = kernel->rt.value_or(false);
  }
  evidence.arch = kernel_arch(plan, trial.cell);
  evidence.userland = level_of(trial.cell, "userland");
  evidence.boot_parameters = words(level_of(trial.cell, "cmdline"));
  evidence.before = with_kernel_options(raw.before, kernel);
  evidence.after = with_kernel_options(raw.after, kernel);
  evidence.counters = raw.counters;
  evidence.numa_maps = raw.numa_maps;
  evidence.load_memory = level_of(trial.cell, "load_memory");
  evidence.load_numa_maps = raw.load_numa_maps;
  evidence.probe = raw.probe;
  evidence.json = raw.json;
  evidence.text = raw.text;
  if (raw.tracer) {
    evidence.tracer = raw.tracer;
    evidence.json = main_samples(*raw.tracer);
  }
  evidence.unreadable = raw.unreadable;
  evidence.tuned = !tuning_of(plan, trial.cell).empty();
  evidence.tuning = raw.tuning;
  evidence.loads = raw.loads;
  evidence.capture = raw.capture;
  // On this machine there is no console to read, and the kernel's log has the same.
  evidence.console = scan_console(raw.console.empty() ? raw.kernel_log : raw.console);
  evidence.kernel_log = split(raw.kernel_log, '\n');
  if (raw.end) {
    evidence.paused_s = raw.end->paused_s;
    evidence.waited_s = raw.end->waited_s;
  }
  return evidence;
}

std::vector<OutlierResult> outliers_of(const RawTrial& raw) {
  std::vector<OutlierResult> outliers;
  if (!raw.capture) return outliers;
  for (const CapturedOutlier& outlier : raw.capture->outliers) {
    const size_t i = outliers.size();
    outliers.push_back({.latency_us = outlier.latency_us,
                        .cpu = outlier.cpu,
                        .trace = outlier.file,
                        .cause = i < raw.causes.size() ? raw.causes[i] : ""});
  }
  return outliers;
}

int64_t us_of(const std::optional<double>& seconds) {
  return seconds ? std::llround(*seconds * 1e6) : 0;
}

// What is known of the time of the samples past the breakpoint.
TrialCourse course_of(const TrialResult& result, const RawTrial& raw, int64_t interval_us) {
  TrialCourse course{.interval_us = interval_us, .counters = raw.counters};
  if (raw.counters) {
    course.begin_us = us_of(raw.counters->begin.monotonic_s);
    course.end_us = us_of(raw.counters->end.monotonic_s);
  }
  for (const CaptureHit& hit : raw.capture->hits) {
    course.hits.push_back({.at_us = hit.at_us, .latency_us = hit.latency_us, .cpu = hit.cpu});
  }
  for (const CpuResult& cpu : result.cpus) course.cpus.push_back(cpu.cpu);
  for (const LoadResult& load : result.loads) {
    for (LoadPhase phase : load.phases) {
      phase.name = load.name + ": " + phase.name;
      course.phases.push_back(std::move(phase));
    }
  }
  return course;
}

std::string last_lines(const std::string& text, size_t count) {
  std::vector<std::string> lines = split(text, '\n');
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<long>(count));
  return join(lines, "\n");
}

void add_times(RunReport& report, std::span<const JournalEntry> journal) {
  for (const JournalEntry& entry : journal) {
    if (entry.kind == JournalEntry::Kind::kRunEnded) report.ended = entry.time;
    const auto trial = std::ranges::find(report.trials, entry.trial, &TrialResult::id);
    if (trial == report.trials.end()) continue;
    if (entry.kind == JournalEntry::Kind::kTrialBegan) trial->started = entry.time;
    if (entry.kind == JournalEntry::Kind::kTrialEnded) trial->ended = entry.time;
  }
}

std::vector<int> begun_trials(std::span<const JournalEntry> journal) {
  std::vector<int> begun;
  for (const JournalEntry& entry : journal) {
    if (entry.kind == JournalEntry::Kind::kTrialBegan) begun.push_back(entry.trial);
    if (entry.kind == JournalEntry::Kind::kTrialReset) std::erase(begun, entry.trial);
  }
  return begun;
}

}  // namespace

Result<void> tidy_trial(const fs::path& directory) {
  std::error_code ec;
  fs::remove_all(directory / kScratchDirectory, ec);
  return unpack_results(directory);
}

TrialResult evaluate_trial(const RunDirectory& run, const PlannedTrial& trial) {
  const RawTrial raw = read_raw_trial(run.trial_directory(trial));
  TrialResult result{.id = trial.id, .cell = trial.cell, .repetition = trial.repetition};
  const TrialEvidence evidence = evidence_of(run, trial, raw);
  result.reasons = judge_trial(evidence);
  change_severities(result.reasons, run.plan().severities);
  result.verdict = verdict_of(result.reasons);
  result.counters = raw.counters;
  result.probe = run.plan().probe;
  result.probe_version = raw.json ? raw.json->version : "";
  // A tracer is part of the kernel, which has its own identity.
  if (main_kind(result.probe).empty()) result.probe_sha256 = raw.probe_sha256;
  result.virtual_clock = run.plan().virtual_clock;
  if (result.virtual_clock) result.ns_per_instruction = kNsPerInstruction;
  result.duration_s = static_cast<double>(run.plan().duration_s);
  result.limit_us = run.plan().limit_us;
  if (raw.json) result.cpus = cpu_results(*raw.json);
  if (raw.tracer) add_samples(*raw.tracer, result);
  result.loads = raw.loads;
  result.outliers = outliers_of(raw);
  result.facts = evidence.after ? evidence.after : evidence.before;
  result.directory = run.trial_name(trial);
  if (!result.usable()) result.console_tail = last_lines(raw.console, kConsoleTailLines);
  if (raw.end) result.wall_s = raw.end->wall_s;
  result.timelines = raw.timelines;
  if (raw.capture) result.correlations = correlate(course_of(result, raw, run.plan().interval_us));
  return result;
}

Result<RunReport> load_report(const RunDirectory& run) {
  const Plan& plan = run.plan();
  const RunMachines machines = run.read_machines();
  RunReport report{.name = plan.name,
                   .run = run.path().filename().string(),
                   .rtsweep_version = run.head().rtsweep_version,
                   .target = plan.target,
                   .plan_text = plan.text,
                   .kernels = machines.kernels,
                   .host = run.head().host,
                   .emulator = machines.emulator,
                   .started = run.head().created,
                   .planned = static_cast<int>(run.trials().size()),
                   .impossible = run.head().impossible};
  for (const Factor& factor : plan.factors) {
    report.factors.push_back(factor.name);
    report.levels[factor.name] = factor.levels;
  }
  std::vector<JournalEntry> journal;
  if (fs::exists(run.journal_file())) {
    RTSWEEP_TRY(const std::string text, read_file(run.journal_file()));
    RTSWEEP_TRY(journal, parse_journal(text));
  }
  const std::vector<int> begun = begun_trials(journal);
  for (const PlannedTrial& trial : run.trials()) {
    if (std::ranges::find(begun, trial.id) == begun.end()) continue;
    report.trials.push_back(evaluate_trial(run, trial));
  }
  add_times(report, journal);
  return report;
}

}  // namespace rtsweep
