// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep run PLAN: makes a run directory for the plan and works on it.
// rtsweep resume DIR: goes on with one after any interruption.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "rtsweep_version.h"
#include "runner/base/clock.h"
#include "runner/cli/commands.h"
#include "runner/cli/plan_facts.h"
#include "runner/cli/run_session.h"
#include "runner/host/facts.h"
#include "runner/run/progress.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

// What a reader wants to know of the machine; not its name.
std::string describe_host() {
  const MachineFacts facts = read_facts(HostRoot());
  return fmt::format("{}, {} CPUs, Linux {}",
                     facts.cpu_model.empty() ? facts.machine : facts.cpu_model,
                     facts.online_cpus.size(), facts.kernel_release);
}

std::vector<std::pair<Cell, std::string>> impossible_cells(const Plan& plan, const PlanHost& host) {
  std::map<Cell, std::string> impossible;
  for (const PlannedTrial& trial : order_trials(plan)) {
    if (const auto reason = impossible_reason(plan, trial, host)) impossible[trial.cell] = *reason;
  }
  return {impossible.begin(), impossible.end()};
}

fs::path default_directory(const Plan& plan) {
  std::string time = utc_now();
  std::replace(time.begin(), time.end(), ':', '-');
  return "rtsweep-runs/" + time.substr(0, 19) + "_" + plan.name;
}

Result<RunDirectory> new_run(const fs::path& plan_file, const std::string& out) {
  RTSWEEP_TRY(const auto read, read_plan_file(plan_file));
  const auto& [plan, known] = read;
  const RunHead head{.rtsweep_version = kVersion,
                     .host = describe_host(),
                     .created = utc_now(),
                     .impossible = impossible_cells(plan, facts_for(plan, known))};
  for (const auto& [cell, reason] : head.impossible) {
    fmt::print("left out: {}: {}\n", cell_text(cell), reason);
  }
  RTSWEEP_TRY(
      RunDirectory run,
      RunDirectory::create(out.empty() ? default_directory(plan) : fs::path(out), plan, head));
  if (run.trials().empty()) {
    return Error(Errc::kNotSupported, "no trial of this plan is possible on this machine");
  }
  return run;
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code, const TargetFactory& targets,
                     const HostRoot& host) {
  struct Arguments {
    std::string plan;
    std::string out;
    SessionOptions session;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("run", "Measure what a plan says");
  command->add_option("plan", arguments->plan, "Plan file (TOML)")->required();
  command->add_option("--out", arguments->out,
                      "Run directory to make (default: rtsweep-runs/TIME_PLAN)");
  command->add_option("--until", arguments->session.until,
                      "Begin no trial that would not end by HH:MM (local time)");
  command->callback([arguments, &exit_code, &targets, &host] {
    auto run = new_run(arguments->plan, arguments->out);
    exit_code =
        run ? work_on_run(std::move(run).value(), arguments->session, targets, host) : fail(run.error());
  });
}

void add_resume_command(CLI::App& app, int& exit_code, const TargetFactory& targets,
                        const HostRoot& host) {
  struct Arguments {
    std::string directory;
    SessionOptions session;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("resume", "Go on with a run after any interruption");
  command->add_option("dir", arguments->directory, "Run directory")->required();
  command->add_option("--until", arguments->session.until,
                      "Begin no trial that would not end by HH:MM (local time)");
  command->add_flag("--retry-interrupted", arguments->session.retry_interrupted,
                    "Measure trials again that were cut short (default: they stay ERROR)");
  command->callback([arguments, &exit_code, &targets, &host] {
    auto run = RunDirectory::open(arguments->directory);
    exit_code =
        run ? work_on_run(std::move(run).value(), arguments->session, targets, host) : fail(run.error());
  });
}

}  // namespace rtsweep
