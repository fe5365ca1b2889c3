// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep status DIR: where a run stands, from its directory alone.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "runner/base/files.h"
#include "runner/cli/commands.h"
#include "runner/run/journal.h"
#include "runner/run/progress.h"
#include "runner/run/run_directory.h"

namespace rtsweep {
namespace {

struct RunStatus {
  size_t planned = 0;
  std::vector<PlannedTrial> running;  // begun and not ended, or left behind by a killed runner
  std::map<std::string, int> verdicts;
  std::optional<int64_t> worst_us;  // largest maximum of those that count
  Cell worst_cell;
  bool complete = false;
};

void count(const PlannedTrial& trial, const JournalEntry& entry, RunStatus& status) {
  ++status.verdicts[entry.verdict];
  const bool counts = entry.verdict == "PASS" || entry.verdict == "FAIL";
  if (!counts || !entry.max_us || status.worst_us >= entry.max_us) return;
  status.worst_us = entry.max_us;
  status.worst_cell = trial.cell;
}

Result<RunStatus> read_status(const RunDirectory& run) {
  RTSWEEP_TRY(const std::string text, read_file(run.journal_file()));
  RTSWEEP_TRY(const std::vector<JournalEntry> journal, parse_journal(text));
  RunStatus status{.planned = run.trials().size()};
  std::set<int> begun;
  for (const JournalEntry& entry : journal) {
    if (entry.kind == JournalEntry::Kind::kTrialBegan) begun.insert(entry.trial);
    if (entry.kind == JournalEntry::Kind::kTrialEnded) begun.erase(entry.trial);
    if (entry.kind == JournalEntry::Kind::kRunEnded) status.complete = true;
  }
  for (const int id : begun) status.running.push_back(run.trial(id));
  for (const auto& [id, entry] : ended_trials(journal)) count(run.trial(id), entry, status);
  return status;
}

int done_trials(const RunStatus& status) {
  int done = 0;
  for (const auto& [verdict, count] : status.verdicts) done += count;
  return done;
}

void print_text(const RunStatus& status) {
  fmt::print("{}/{} trials ended", done_trials(status), status.planned);
  for (const auto& [verdict, count] : status.verdicts) fmt::print(", {} {}", count, verdict);
  fmt::print("{}\n", status.complete ? "; the run is complete" : "");
  if (status.worst_us) {
    fmt::print("worst so far: {} us: {}\n", *status.worst_us, cell_text(status.worst_cell));
  }
  for (const PlannedTrial& trial : status.running) {
    fmt::print("begun: {} r{}\n", cell_text(trial.cell), trial.repetition);
  }
}

void print_json(const RunStatus& status) {
  nlohmann::json j = {{"planned", status.planned},        {"ended", done_trials(status)},
                      {"complete", status.complete},      {"verdicts", status.verdicts},
                      {"begun", nlohmann::json::array()}, {"worst_us", nullptr}};
  if (status.worst_us) j["worst_us"] = *status.worst_us;
  for (const PlannedTrial& trial : status.running) {
    j["begun"].push_back({{"id", trial.id}, {"cell", trial.cell}});
  }
  fmt::print("{}\n", j.dump(2));
}

Result<void> show(const std::string& directory, bool follow, bool as_json) {
  RTSWEEP_TRY(const RunDirectory run, RunDirectory::open(directory));
  while (true) {
    RTSWEEP_TRY(const RunStatus status, read_status(run));
    as_json ? print_json(status) : print_text(status);
    std::fflush(stdout);
    if (!follow || status.complete) return {};
    std::this_thread::sleep_for(std::chrono::seconds(5));
  }
}

}  // namespace

void add_status_command(CLI::App& app, int& exit_code) {
  struct Arguments {
    std::string directory;
    bool follow = false;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("status", "Where a run stands");
  command->add_option("dir", arguments->directory, "Run directory")->required();
  command->add_flag("--follow", arguments->follow, "Again every five seconds until it is complete");
  command->add_flag("--json", arguments->json, "As JSON");
  command->callback([arguments, &exit_code] {
    const auto done = show(arguments->directory, arguments->follow, arguments->json);
    exit_code = done ? kWithinLimits : fail(done.error());
  });
}

}  // namespace rtsweep
