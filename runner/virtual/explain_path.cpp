// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/virtual/explain_path.h"

#include <fmt/format.h>

#include <cstdlib>

#include "runner/base/files.h"
#include "runner/boot/qemu.h"
#include "runner/run/evaluate.h"
#include "runner/virtual/guest_symbols.h"
#include "runner/virtual/path_machine.h"
#include "runner/virtual/rerun_trial.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

// Instructions before and behind a wakeup that are written down too, against what is
// rounded in its limits.
constexpr int64_t kMargin = 500;

// As QEMU's option parser reads a value.
std::string value(const fs::path& path) {
  std::string text;
  for (const char c : path.string()) text += c == ',' ? std::string(",,") : std::string(1, c);
  return text;
}

class PathRun {
 public:
  PathRun(const RunDirectory& run, const PlannedTrial& trial, const ExplainPathOptions& options,
          const std::atomic<bool>& stop, const Listener& listener)
      : run_(run), trial_(trial), options_(options), stop_(stop), listener_(listener) {}

  Result<PathExplanation> explain() {
    RTSWEEP_TRY(const KernelSymbols symbols,
                guest_symbols(run_, trial_, options_.guests, options_.scratch / "symbols", stop_,
                              listener_));
    RTSWEEP_TRY(machine_, path_machine(kernel_arch(run_.plan(), trial_.cell), symbols));
    listener_("measuring the trial again, to find the worst wakeups");
    RTSWEEP_TRY(const std::vector<PathEvent> marks, measure("first", ""));
    const std::vector<Wakeup> wakeups = found(marks);
    if (wakeups.empty()) return Error(Errc::kBadData, "no wakeup of a timer's sleeper was seen");
    const std::vector<size_t> worst = worst_wakeups(wakeups, options_.worst);
    listener_("measuring the trial again, to see what was executed in them");
    RTSWEEP_TRY(const std::vector<PathEvent> events, measure("second", windows(wakeups, worst)));
    if (found(events) != wakeups) {
      return Error(Errc::kBadData, "two runs with the plugin took different paths");
    }
    PathExplanation explanation = head(wakeups);
    for (const size_t i : worst) {
      explanation.worst.push_back(look_into(i, wakeups[i], events, symbols));
    }
    return explanation;
  }

 private:
  Result<std::vector<PathEvent>> measure(const std::string& name, const std::string& windows) {
    const fs::path record = options_.scratch / (name + ".path");
    const RerunOptions again{.guests = options_.guests,
                             .directory = options_.scratch / name,
                             .plugin = "file=" + value(options_.plugin) + ",out=" + value(record) +
                                       machine_.plugin_arguments() + windows,
                             .parameter = {}};
    RTSWEEP_TRY(rerun_, rerun_trial(run_, trial_, again, stop_, [](std::string_view) {}));
    RTSWEEP_TRY(const std::string bytes, read_file(record));
    return parse_path_record(bytes);
  }

  std::vector<Wakeup> found(const std::vector<PathEvent>& events) const {
    return find_wakeups(
        events,
        {.irq_entries = machine_.irq_entries,
         .finish_task_switch = machine_.finish_task_switch,
         .stack_shift = machine_.stack_shift},
        {.interval_ns = run_.plan().interval_us * 1000, .ns_per_instruction = kNsPerInstruction});
  }

  static std::string windows(const std::vector<Wakeup>& wakeups, const std::vector<size_t>& worst) {
    std::string text;
    for (const size_t i : worst) {
      text += fmt::format(",win={}-{}", std::max<int64_t>(0, wakeups[i].expiry - kMargin),
                          wakeups[i].clock + kMargin);
    }
    return text;
  }

  PathExplanation head(const std::vector<Wakeup>& wakeups) const {
    const TrialResult measured = evaluate_trial(run_, trial_);
    return {.source = run_.trial_name(trial_),
            .kernel = measured.facts ? measured.facts->kernel_release : "",
            .ns_per_instruction = kNsPerInstruction,
            .samples = static_cast<int64_t>(measured.samples()),
            .followed = static_cast<int64_t>(wakeups.size()),
            .max_us = measured.max_us().value_or(0),
            .same_results = rerun_.same_results,
            .same_console = rerun_.same_console,
            .other_identity = rerun_.other_identity};
  }

  ExplainedWakeup look_into(size_t i, const Wakeup& wakeup, const std::vector<PathEvent>& events,
                            const KernelSymbols& symbols) const {
    ExplainedWakeup one{.number = i + 1, .wakeup = wakeup};
    one.path = call_path({.events = events,
                          .begin = wakeup.expiry,
                          .end = wakeup.clock,
                          .irq_entries = machine_.irq_entries,
                          .user_below = machine_.user_below},
                         symbols);
    one.waits = lock_waits(one.path.steps);
    return one;
  }

  const RunDirectory& run_;
  const PlannedTrial& trial_;
  const ExplainPathOptions& options_;
  const std::atomic<bool>& stop_;
  const Listener& listener_;
  PathMachine machine_;
  Rerun rerun_;
};

}  // namespace

Result<PathExplanation> explain_path(const RunDirectory& run, const PlannedTrial& trial,
                                     const ExplainPathOptions& options,
                                     const std::atomic<bool>& stop, const Listener& listener) {
  if (!fs::exists(options.plugin)) {
    return Error(Errc::kNotSupported, "no path plugin for QEMU (" + options.plugin.string() + ")");
  }
  return PathRun(run, trial, options, stop, listener).explain();
}

fs::path path_plugin_file() {
  if (const char* set = std::getenv("RTSWEEP_PATH_PLUGIN"); set != nullptr) return set;
  std::error_code ec;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", ec).parent_path().parent_path();
  return prefix / "lib/rtsweep/rtsweep-path-plugin.so";
}

}  // namespace rtsweep
