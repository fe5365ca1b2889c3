// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trial_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/reason_catalogue.h"
#include "analysis/trial_check_parts.h"

namespace rtsweep {
namespace {

using namespace checks;

std::string_view code_of(ConsoleFindingKind kind) {
  switch (kind) {
    case ConsoleFindingKind::kKernelPanic:
      return "kernel_panic";
    case ConsoleFindingKind::kInitMissing:
      return "init_missing";
    case ConsoleFindingKind::kKernelOops:
      return "kernel_oops";
    case ConsoleFindingKind::kLockup:
      return "lockup";
    case ConsoleFindingKind::kRcuStall:
      return "rcu_stall";
    case ConsoleFindingKind::kHungTask:
      return "hung_task";
    case ConsoleFindingKind::kOomKill:
      return "oom";
    case ConsoleFindingKind::kRtThrottling:
      return "rt_throttled";
    case ConsoleFindingKind::kKernelBug:
      return "kernel_bug";
  }
  return "kernel_bug";
}

// One reason a kind: the first of a cascade, with the number of those that follow it.
void check_console(const TrialEvidence& evidence, Reasons& reasons) {
  std::set<std::string_view> told;
  for (const ConsoleFinding& finding : evidence.console) {
    const std::string_view code = code_of(finding.kind);
    if (!told.insert(code).second) continue;
    const auto alike =
        std::count_if(evidence.console.begin(), evidence.console.end(),
                      [&](const ConsoleFinding& other) { return code_of(other.kind) == code; });
    const std::string more = alike > 1 ? fmt::format(", and {} more", alike - 1) : "";
    reasons.push_back(
        make_reason(code, fmt::format("console line {}: {}{}", finding.line, finding.text, more)));
  }
}

std::string with_message(std::string_view what, const std::string& message) {
  return message.empty() ? std::string(what) : fmt::format("{}: {}", what, message);
}

std::string_view code_of_failure(const std::string& message) {
  if (message.find("No space left on device") != std::string::npos) return "disk_full";
  if (message.starts_with("probe ") && message.find(" is not there: ") != std::string::npos) {
    return "probe_unsupported";
  }
  return message.starts_with("load ") ? "load_failed" : "trial_failed";
}

// How the trial ended. A kernel that died on its console explains a missing end.
void check_ending(const TrialEvidence& evidence, Reasons& reasons) {
  const std::string& message = evidence.ending_message;
  const bool kernel_died = std::any_of(evidence.console.begin(), evidence.console.end(),
                                       [](const ConsoleFinding& finding) { return finding.fatal; });
  switch (evidence.ending) {
    case TrialEnding::kComplete:
      return;
    case TrialEnding::kInterrupted:
      return reasons.push_back(make_reason("interrupted", "the trial was ended from outside"));
    case TrialEnding::kNotDeterministic:
      return reasons.push_back(make_reason(
          "not_deterministic", with_message("the same trial gave different results", message)));
    case TrialEnding::kFailed:
      return reasons.push_back(make_reason(
          code_of_failure(message), with_message("the trial could not be measured", message)));
    default:
      break;
  }
  if (kernel_died) return;
  if (evidence.ending == TrialEnding::kBootTimeout) {
    reasons.push_back(make_reason("boot_timeout", "the machine did not come up in its time"));
  } else if (evidence.ending == TrialEnding::kHung) {
    reasons.push_back(make_reason("guest_hung", "the machine did not end the trial in its time"));
  } else {
    reasons.push_back(make_reason("vm_died", with_message("the VM ended too early", message)));
  }
}

std::string how_ended(const ProbeEnding& probe) {
  if (probe.timed_out) return "did not end and was killed";
  if (probe.signal != 0) return fmt::format("was killed by signal {}", probe.signal);
  return fmt::format("ended with exit code {}", probe.exit_code);
}

// cyclictest ends with exit code 0 when it is asked to stop, so only the time tells.
bool ended_early(const TrialEvidence& evidence) {
  constexpr double kTolerance_s = 0.5;
  const auto& wall_s = evidence.probe->wall_s;
  const auto planned_s = static_cast<double>(evidence.planned.duration_s);
  if (!wall_s || *wall_s > planned_s - kTolerance_s) return false;
  return run_of(evidence) != nullptr;
}

// An exit code alone proves nothing; that numbers are missing does.
void check_probe(const TrialEvidence& evidence, Reasons& reasons) {
  const std::string& name = evidence.planned.name;
  if (evidence.probe && evidence.probe->disk_full) {
    reasons.push_back(make_reason("disk_full", "the probe had no room left for its results"));
  }
  if (evidence.probe && (evidence.probe->timed_out || evidence.probe->signal != 0)) {
    reasons.push_back(
        make_reason("probe_killed", fmt::format("{} {}", name, how_ended(*evidence.probe))));
    return;
  }
  if (evidence.probe && ended_early(evidence)) {
    reasons.push_back(make_reason(
        "probe_killed", fmt::format("{} ended after {:.1f} s of {}", name, *evidence.probe->wall_s,
                                    evidence.planned.duration_s)));
  }
  if (!evidence.unreadable.empty()) {
    reasons.push_back(make_reason("output_truncated", evidence.unreadable));
    return;
  }
  if (run_of(evidence) != nullptr || !evidence.probe) return;
  if (evidence.probe->exit_code != 0) {
    reasons.push_back(make_reason(
        "probe_failed", fmt::format("{} {} and left no result", name, how_ended(*evidence.probe))));
  } else {
    reasons.push_back(make_reason("probe_failed", name + " left no result"));
  }
}

// A trial that says it is complete must have a result.
void check_result_is_there(const TrialEvidence& evidence, Reasons& reasons) {
  if (evidence.ending != TrialEnding::kComplete || run_of(evidence) != nullptr) return;
  if (!reasons.empty()) return;
  reasons.push_back(make_reason("probe_failed", "the trial is complete and has no result"));
}

void check_loads(const TrialEvidence& evidence, Reasons& reasons) {
  for (const LoadResult& load : evidence.loads) {
    if (!load.alive) {
      reasons.push_back(make_reason(
          "load_died", with_message(fmt::format("load {} ended during the measurement", load.name),
                                    load.ended)));
    } else if (load.floor && !load.work) {
      reasons.push_back(make_reason(
          "load_below_floor", fmt::format("the work of load {} could not be counted", load.name)));
    } else if (load.floor && *load.work < *load.floor) {
      reasons.push_back(
          make_reason("load_below_floor",
                      fmt::format("load {} did {:.0f} {} and should have done {:.0f} at least",
                                  load.name, *load.work, load.unit, *load.floor)));
    }
  }
}

std::vector<int> cpus_measured(const CyclictestRun& run) {
  std::vector<int> cpus;
  for (const CpuResult& cpu : cpu_results(run)) cpus.push_back(cpu.cpu);
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

void check_cpus(const TrialEvidence& evidence, Reasons& reasons) {
  const auto& before = evidence.before;
  const auto& after = evidence.after;
  if (before && after && before->online_cpus != after->online_cpus) {
    reasons.push_back(make_reason(
        "cpu_offline", fmt::format("{} CPUs were online before and {} after",
                                   before->online_cpus.size(), after->online_cpus.size())));
    return;
  }
  std::vector<int> wanted = evidence.planned.cpus;
  if (wanted.empty() && before) wanted = before->online_cpus;
  const CyclictestRun* run = run_of(evidence);
  if (run == nullptr || wanted.empty()) return;
  const std::vector<int> measured = cpus_measured(*run);
  for (const int cpu : wanted) {
    if (std::binary_search(measured.begin(), measured.end(), cpu)) continue;
    reasons.push_back(make_reason("cpu_offline", fmt::format("CPU {} was not measured", cpu)));
  }
}

void check_numbers(const TrialEvidence& evidence, Reasons& reasons) {
  const CyclictestRun* run = run_of(evidence);
  if (run == nullptr) return;
  check_agreement(evidence, reasons);
  if (evidence.tracer) {
    check_tracer(*evidence.tracer, evidence.planned, reasons);
  } else {
    check_latencies(*run, evidence.planned.duration_s, reasons);
  }
  if (!is_without_cycles(evidence.planned)) check_cycles(evidence, *run, reasons);
  check_overflows(*run, evidence.planned.limit_us, reasons);
  check_limit(evidence, *run, reasons);
}

}  // namespace

std::vector<Reason> judge_trial(const TrialEvidence& evidence) {
  Reasons reasons;
  check_console(evidence, reasons);
  check_ending(evidence, reasons);
  check_kernel(evidence, reasons);
  check_bitness(evidence, reasons);
  check_boot_parameters(evidence, reasons);
  check_kernel_options(evidence, reasons);
  check_memory_policy(evidence, reasons);
  check_tuning(evidence, reasons);
  check_loads(evidence, reasons);
  check_probe(evidence, reasons);
  check_cpus(evidence, reasons);
  check_what_changed(evidence, reasons);
  check_host(evidence, reasons);
  check_counters(evidence, reasons);
  check_numbers(evidence, reasons);
  check_capture(evidence, reasons);
  check_result_is_there(evidence, reasons);
  check_governors(evidence, reasons);
  check_tuning_was_undone(evidence, reasons);
  return reasons;
}

std::vector<Reason> judge_latencies(const CyclictestRun& run) {
  Reasons reasons;
  check_latencies(run, 0, reasons);
  check_overflows(run, std::nullopt, reasons);
  return reasons;
}

}  // namespace rtsweep
