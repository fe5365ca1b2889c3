// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep plan FILE: what a plan would do on this machine. Does nothing of it.

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "runner/cli/commands.h"
#include "runner/cli/plan_facts.h"
#include "runner/cli/terminal.h"
#include "runner/plan/outlook.h"

namespace rtsweep {
namespace {

struct PlanOptions {
  std::string file;
  bool json = false;
};

// A plan of which nothing is possible here is shown, and is a failure all the same.
Result<int> show_plan(const PlanOptions& options) {
  RTSWEEP_TRY(const auto read, read_plan_file(options.file));
  const auto& [plan, known] = read;
  const PlanOutlook outlook = plan_outlook(plan, facts_for(plan, known));
  if (options.json) {
    std::cout << outlook_json(plan, outlook).dump(2) << "\n";
  } else {
    std::cout << outlook_text(plan, outlook, output_width());
  }
  return outlook.possible > 0 ? kWithinLimits : kCouldNotWork;
}

}  // namespace

void add_plan_command(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("plan", "Show a plan's trials and what is impossible here");
  const auto options = std::make_shared<PlanOptions>();
  command->add_option("plan", options->file, "Plan file (TOML)")->required();
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &exit_code] {
    const auto code = show_plan(*options);
    exit_code = code ? *code : fail(code.error());
  });
}

}  // namespace rtsweep
