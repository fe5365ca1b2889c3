// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/cli/explain_path.h"

#include <fmt/format.h>

#include "analysis/path/flame_svg.h"
#include "runner/base/files.h"
#include "runner/bundle/choose_trial.h"
#include "runner/bundle/temporary_directory.h"
#include "runner/cli/commands.h"
#include "runner/cli/explain_run.h"
#include "runner/cli/run_session.h"
#include "runner/run/evaluate.h"
#include "runner/virtual/explain_path.h"
#include "runner/virtual/what_if.h"

namespace rtsweep {
namespace {

struct PathAnswer {
  PathExplanation explanation;
  std::optional<WhatIf> what_if;
};

void tell(std::string_view stage) { fmt::print(stderr, "{}\n", stage); }

Result<void> write_flame(const PathAnswer& answer, const std::filesystem::path& file) {
  const PathExplanation& found = answer.explanation;
  const ExplainedWakeup& worst = found.worst.front();
  const std::string title =
      fmt::format("{}, {}: wakeup {}, {} instructions = {:.1f} us", found.source, found.kernel,
                  worst.number, worst.wakeup.instructions(), found.us(worst.wakeup.instructions()));
  return write_file_durably(file, flame_svg(title, worst.path.stacks));
}

Result<PathAnswer> answer(const PathCommand& command) {
  const std::atomic<bool> stop = false;
  RTSWEEP_TRY(const RunDirectory run, RunDirectory::open(command.directory));
  RTSWEEP_TRY(const RunReport report, load_report(run));
  RTSWEEP_TRY(const TrialResult* chosen, choose_trial(report, command.trial));
  const PlannedTrial& trial = run.trial(chosen->id);
  RTSWEEP_TRY(const TemporaryDirectory scratch, TemporaryDirectory::make());
  PathAnswer found;
  RTSWEEP_TRY(found.explanation, explain_path(run, trial,
                                              {.guests = guests_directory(),
                                               .plugin = path_plugin_file(),
                                               .scratch = scratch.path(),
                                               .worst = command.worst},
                                              stop, tell));
  if (!command.what_if.empty()) {
    const RerunOptions changed{.guests = guests_directory(),
                               .directory = scratch.path() / "what-if",
                               .plugin = {},
                               .parameter = command.what_if};
    RTSWEEP_TRY(found.what_if, measure_what_if(run, trial, changed, stop, tell));
  }
  if (!command.flame.empty()) RTSWEEP_CHECK_OK(write_flame(found, command.flame));
  return found;
}

void print(const PathAnswer& found, bool json) {
  if (json) {
    nlohmann::json j = path_json(found.explanation);
    if (found.what_if) j["what_if"] = what_if_json(*found.what_if);
    fmt::print("{}\n", j.dump(2));
    return;
  }
  fmt::print("{}", path_text(found.explanation));
  if (found.what_if) fmt::print("\n{}", what_if_text(*found.what_if));
}

}  // namespace

bool explains_by_path(const std::filesystem::path& directory, std::optional<int> trial) {
  const auto run = RunDirectory::open(directory);
  if (!run || run->plan().target != "vm" || !run->plan().virtual_clock) return false;
  return !explain_run(directory, {.trial = trial, .outlier = {}}).has_value();
}

int explain_by_path(const PathCommand& command) {
  const auto found = answer(command);
  if (!found) return fail(found.error());
  print(*found, command.json);
  return found->explanation.exact() ? kWithinLimits : kInvalidResult;
}

}  // namespace rtsweep
