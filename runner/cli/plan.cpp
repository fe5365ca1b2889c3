// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep plan FILE: what a plan would do on this machine. Does nothing of it.
// rtsweep plan FILE --power: what it would find.

#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "runner/cli/commands.h"
#include "runner/cli/plan_facts.h"
#include "runner/cli/plan_power.h"
#include "runner/cli/terminal.h"
#include "runner/plan/duration.h"
#include "runner/plan/outlook.h"
#include "runner/run/evaluate.h"

namespace rtsweep {
namespace {

struct PlanOptions {
  std::string file;
  bool json = false;
  bool power = false;
  double scatter_percent = 0;  // 0: not given
  std::string from;            // a run
  std::string night = "10h";
};

Result<ExpectedScatter> scatter_for(const PlanOptions& options) {
  if (options.scatter_percent > 0) {
    return ExpectedScatter{std::log1p(options.scatter_percent / 100), "as given"};
  }
  if (options.from.empty()) return ExpectedScatter{};
  RTSWEEP_TRY(const RunDirectory run, RunDirectory::open(options.from));
  RTSWEEP_TRY(const RunReport report, load_report(run));
  return measured_scatter(report);
}

Result<int> show_power(const PlanOptions& options, const Plan& plan, const PlanOutlook& outlook) {
  RTSWEEP_TRY(const ExpectedScatter scatter, scatter_for(options));
  RTSWEEP_TRY(const std::chrono::seconds night, parse_duration(options.night));
  const PlanPower power = plan_power(plan, outlook, scatter, night);
  if (options.json) {
    nlohmann::json json = outlook_json(plan, outlook);
    json["power"] = plan_power_json(power);
    std::cout << json.dump(2) << "\n";
  } else {
    std::cout << plan_power_text(power, output_width());
  }
  return outlook.possible > 0 ? kWithinLimits : kCouldNotWork;
}

// A plan of which nothing is possible here is shown, and is a failure all the same.
Result<int> show_plan(const PlanOptions& options) {
  RTSWEEP_TRY(const auto read, read_plan_file(options.file));
  const auto& [plan, known] = read;
  const PlanOutlook outlook = plan_outlook(plan, facts_for(plan, known));
  if (options.power) return show_power(options, plan, outlook);
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
  CLI::Option* power = command->add_flag("--power", options->power,
                                         "What it would find, and how many repetitions more need");
  CLI::Option* from =
      command->add_option("--from", options->from, "A run whose scatter is expected")->needs(power);
  command
      ->add_option("--scatter", options->scatter_percent,
                   "Expected scatter from trial to trial of a cell, in %")
      ->check(CLI::Range(0.1, 1000.0))
      ->needs(power)
      ->excludes(from);
  command->add_option("--night", options->night, "How long a night is")
      ->needs(power)
      ->capture_default_str();
  command->callback([options, &exit_code] {
    const auto code = show_plan(*options);
    exit_code = code ? *code : fail(code.error());
  });
}

}  // namespace rtsweep
