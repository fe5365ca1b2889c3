// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/selftest/determinism.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "runner/base/files.h"
#include "runner/boot/qemu.h"
#include "runner/boot/vm_results.h"
#include "runner/boot/vm_target.h"
#include "runner/kernels/kernels.h"
#include "runner/kernels/sha256.h"
#include "runner/run/evaluate.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

constexpr int kRuns = 3;

std::string plan_text(const KernelEntry& kernel) {
  return fmt::format(
      "name = \"determinism\"\ntarget = \"vm\"\nclock = \"virtual\"\n[measure]\nduration = \"3s\"\n"
      "[factors]\nkernel = [\"{}\"]\narch = [\"{}\"]\nload = [\"hackbench\"]\n",
      kernel.name, kernel.arch);
}

// Keeps every CPU of this machine busy until it ends.
class BusyHost {
 public:
  BusyHost() {
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
      threads_.emplace_back([](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
        }
      });
    }
  }

 private:
  std::vector<std::jthread> threads_;
};

// What came out of one run, as bytes, and what the trial came to.
struct RunOutput {
  std::string results;
  std::string console;
  TrialResult trial;
};

class KernelProof {
 public:
  KernelProof(const KernelEntry& kernel, const DeterminismOptions& options)
      : kernel_(kernel), options_(options), target_(options.guests) {}

  DeterminismOutcome prove() {
    DeterminismOutcome outcome{.kernel = kernel_.name, .arch = kernel_.arch};
    const auto done = measure_all(outcome);
    if (!done) outcome.note = done.error().message();
    return outcome;
  }

 private:
  Result<void> measure_all(DeterminismOutcome& outcome) {
    RTSWEEP_TRY(const RunOutput first, measure(1));
    outcome.runs = 1;
    if (first.trial.facts) outcome.release = first.trial.facts->kernel_release;
    outcome.record = record_works(kernel_.arch, outcome.release);
    if (!first.trial.usable()) return Error(Errc::kBadData, first.trial.reasons.front().text);
    const BusyHost busy;
    for (int run = 2; run <= kRuns; ++run) {
      RTSWEEP_TRY(const RunOutput again, measure(run));
      outcome.runs = run;
      const std::string_view differs = again.results != first.results   ? "results"
                                       : again.console != first.console ? "console"
                                                                        : "";
      if (!differs.empty()) {
        return Error(Errc::kBadData, fmt::format("the {} of run {} differ", differs, run));
      }
    }
    outcome.identical = true;
    outcome.sha256 = sha256(first.results + first.console);
    return {};
  }

  Result<RunOutput> measure(int number) {
    const fs::path directory =
        options_.scratch / fmt::format("{}-{}-{}", kernel_.name, kernel_.arch, number);
    RTSWEEP_TRY(const Plan plan, parse_plan(plan_text(kernel_), "determinism.toml"));
    RTSWEEP_TRY(const RunDirectory run, RunDirectory::create(directory, plan, {}));
    const PlannedTrial& trial = run.trials().front();
    const fs::path place = run.trial_directory(trial);
    RTSWEEP_CHECK_OK(make_directories(place));
    if (number == 1) {
      RTSWEEP_TRY(kernels_, target_.prepare(plan, run.trials(), [](std::string_view) {}));
    }
    RTSWEEP_CHECK_OK(run.write_machines({.emulator = target_.emulator(), .kernels = kernels_}));
    const std::atomic<bool> stop = false;
    RTSWEEP_CHECK_OK(target_.measure(plan, trial, place, stop, [](std::string_view) {}));
    RTSWEEP_CHECK_OK(tidy_trial(place));
    RunOutput output{.trial = evaluate_trial(run, trial)};
    RTSWEEP_TRY(output.results, read_file(place / kResultsFile));
    RTSWEEP_TRY(output.console, read_file(place / kConsoleFile));
    return output;
  }

  const KernelEntry& kernel_;
  const DeterminismOptions& options_;
  VmTarget target_;
  std::vector<KernelResult> kernels_;
};

}  // namespace

Result<std::vector<DeterminismOutcome>> run_determinism(const DeterminismOptions& options,
                                                        const DeterminismListener& listener) {
  RTSWEEP_CHECK_OK(make_directories(options.scratch));
  RTSWEEP_TRY(const std::vector<KernelEntry> kernels, read_kernels());
  std::vector<DeterminismOutcome> outcomes;
  for (const KernelEntry& kernel : kernels) {
    // Not those of bookworm-security and the like: they come and go.
    const bool of_release = kernel.suite.find('-') == std::string::npos;
    const bool wanted = options.arch.empty() || kernel.arch == options.arch;
    if (!kernel.rt || !of_release || !wanted) continue;
    outcomes.push_back(KernelProof(kernel, options).prove());
    listener(outcomes.back());
  }
  if (!outcomes.empty()) return outcomes;
  return Error(Errc::kInvalidPlan,
               fmt::format("no RT kernel for the architecture '{}'", options.arch));
}

}  // namespace rtsweep
