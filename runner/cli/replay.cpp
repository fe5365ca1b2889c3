// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep replay DIR|BUNDLE: a trial of virtual time once more, bit for bit.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "runner/base/text.h"
#include "runner/bundle/choose_trial.h"
#include "runner/bundle/open_run.h"
#include "runner/cli/commands.h"
#include "runner/cli/run_session.h"
#include "runner/run/evaluate.h"
#include "runner/run/raw_files.h"
#include "runner/virtual/rerun_trial.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

struct ReplayCommand {
  std::string run;
  std::optional<int> trial;  // empty: the worst
  std::string out;           // keeps the trial's files; empty: they are removed
  bool json = false;
};

struct Replay {
  std::string trial;
  Rerun rerun;
  std::optional<int64_t> max_before, max_after;  // us
};

void tell(std::string_view stage) { fmt::print(stderr, "{}\n", stage); }

std::optional<int64_t> maximum(const fs::path& directory) {
  const RawTrial raw = read_raw_trial(directory);
  std::optional<int64_t> most;
  if (!raw.json) return most;
  for (const CpuResult& cpu : cpu_results(*raw.json)) {
    if (cpu.max_us) most = std::max(most.value_or(*cpu.max_us), *cpu.max_us);
  }
  return most;
}

Result<fs::path> place_for_files(const std::string& wanted, const fs::path& scratch) {
  if (wanted.empty()) return scratch / "replay";
  std::error_code ec;
  if (fs::exists(wanted, ec)) return Error(Errc::kInvalidPlan, "--out " + wanted + " exists");
  return fs::path(wanted);
}

Result<Replay> replay(const ReplayCommand& command) {
  const std::atomic<bool> stop = false;
  RTSWEEP_TRY(const OpenedRun opened, open_run(command.run));
  const RunDirectory& run = opened.run;
  RTSWEEP_TRY(const RunReport report, load_report(run));
  RTSWEEP_TRY(const TrialResult* chosen, choose_trial(report, command.trial));
  const PlannedTrial& trial = run.trial(chosen->id);
  RTSWEEP_TRY(const TemporaryDirectory scratch, TemporaryDirectory::make());
  RTSWEEP_TRY(const fs::path directory, place_for_files(command.out, scratch.path()));
  Replay done{.trial = run.trial_name(trial), .max_before = chosen->max_us()};
  RTSWEEP_TRY(
      done.rerun,
      rerun_trial(
          run, trial,
          {.guests = guests_directory(), .directory = directory, .plugin = {}, .parameter = {}},
          stop, tell));
  done.max_after = maximum(directory);
  return done;
}

std::string us(std::optional<int64_t> value) {
  return value ? fmt::format("{} us", *value) : "unknown";
}

std::string verdict(const Replay& replay) {
  const Rerun& rerun = replay.rerun;
  const std::string maxima =
      fmt::format("maximum {}, now {}", us(replay.max_before), us(replay.max_after));
  if (!rerun.other_identity.empty()) {
    return fmt::format(
        "not the same experiment: {} differ ({}; {})", join(rerun.other_identity, ", "),
        rerun.same_samples ? "all samples are the same nevertheless" : "so do the samples", maxima);
  }
  if (rerun.exact() && rerun.has_results) {
    return "the same, byte for byte: results and console; " + maxima;
  }
  if (rerun.exact()) return "the same, every sample; " + maxima;
  return fmt::format(
      "NOT the same, though the identity is: {}; {}",
      rerun.same_samples ? "the samples are, the rest of what it said is not" : "other samples",
      maxima);
}

void print(const Replay& replay, bool as_json) {
  if (!as_json) {
    fmt::print("{}: {}\n", replay.trial, verdict(replay));
    return;
  }
  nlohmann::json json = {{"schema", 1},
                         {"trial", replay.trial},
                         {"clock", "virtual"},
                         {"exact", replay.rerun.exact()},
                         {"other_identity", replay.rerun.other_identity},
                         {"same_samples", replay.rerun.same_samples},
                         {"max_us_before", nullptr},
                         {"max_us_after", nullptr}};
  if (replay.max_before) json["max_us_before"] = *replay.max_before;
  if (replay.max_after) json["max_us_after"] = *replay.max_after;
  if (replay.rerun.has_results) {
    json["same_results"] = replay.rerun.same_results;
    json["same_console"] = replay.rerun.same_console;
  }
  fmt::print("{}\n", json.dump(2));
}

}  // namespace

void add_replay_command(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<ReplayCommand>();
  CLI::App* command =
      app.add_subcommand("replay", "Measure a trial of virtual time again, bit for bit");
  command->add_option("run", arguments->run, "Run directory or bundle")->required();
  command->add_option("--trial", arguments->trial, "Its number (default: the worst)")
      ->check(CLI::PositiveNumber);
  command->add_option("--out", arguments->out, "Keep the trial's files in this new directory");
  command->add_flag("--json", arguments->json, "As JSON");
  command->callback([arguments, &exit_code] {
    const auto done = replay(*arguments);
    if (!done) {
      exit_code = fail(done.error());
      return;
    }
    print(*done, arguments->json);
    exit_code = done->rerun.exact() ? kWithinLimits : kInvalidResult;
  });
}

}  // namespace rtsweep
