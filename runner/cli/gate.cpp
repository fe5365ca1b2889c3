// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep gate DIR: the verdict for CI, with stated error rates. Against the plan's limits, a rate
// of events, or a baseline that was recorded before.

#include "analysis/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/baseline.h"
#include "analysis/report/gate_output.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/cli/commands.h"
#include "runner/cli/plan_facts.h"
#include "runner/plan/duration.h"
#include "runner/run/evaluate.h"

namespace rtsweep {
namespace {

struct GateOptions {
  std::string directory;  // of a run; or a plan file
  std::string baseline;
  std::string record;
  std::string rate;
  int64_t above_us = 0;  // 0: the plan's limit
  double miss = 5;
  double alpha = 1;
  double margin = 20;
  double maximum_margin = 50;
  std::string format = "text";
  std::string output;
};

// "1/24h" is one event in 24 hours; "3/h" is three in one.
Result<double> parse_rate(const std::string& text) {
  const auto slash = text.find('/');
  const std::string events = text.substr(0, slash);
  const std::string per = slash == std::string::npos ? "" : text.substr(slash + 1);
  const bool digits = !events.empty() && events.size() <= 9 &&
                      events.find_first_not_of("0123456789") == std::string::npos;
  const auto time = parse_duration(per.empty() || std::isdigit(per[0]) ? per : "1" + per);
  if (!digits || std::stol(events) == 0 || !time || time->count() == 0) {
    return Error(Errc::kInvalidPlan,
                 "\"" + text + "\" is no rate: write EVENTS/TIME, as in 1/24h or 18/h");
  }
  return static_cast<double>(std::stol(events)) * 3600 / static_cast<double>(time->count());
}

Result<RateLimit> rate_limit(const GateOptions& options, std::optional<int64_t> plan_limit_us) {
  RateLimit limit{.alpha = options.miss / 100};
  RTSWEEP_TRY(limit.per_hour, parse_rate(options.rate));
  if (options.above_us == 0 && !plan_limit_us) {
    return Error(Errc::kInvalidPlan, "--rate needs a limit: --above US, or limit_us in the plan");
  }
  limit.limit_us = options.above_us > 0 ? options.above_us : *plan_limit_us;
  return limit;
}

Result<RunReport> read_baseline(const std::string& file) {
  RTSWEEP_TRY(const std::string text, read_file(file));
  auto baseline = parse_baseline(text);
  if (!baseline) return Error(Errc::kBadData, file + ": " + baseline.error().message());
  return baseline;
}

// Before the run: can it decide at all?
Result<Gate> gate_of_plan(const GateOptions& options) {
  if (options.rate.empty()) {
    return Error(Errc::kInvalidPlan, options.directory +
                                         " is a file; of a plan, gate can say whether it is long "
                                         "enough for a --rate");
  }
  RTSWEEP_TRY(const auto read, read_plan_file(options.directory));
  const Plan& plan = read.first;
  RTSWEEP_TRY(const RateLimit limit, rate_limit(options, plan.limit_us));
  return Gate{.run = plan.name,
              .checks = {gate_plan(static_cast<double>(plan.duration_s), plan.repetitions, limit)}};
}

Result<Gate> gate_of_run(const GateOptions& options, const RunDirectory& run,
                         const RunReport& report) {
  Gate gate{.run = report.run, .checks = gate_limits(report)};
  const auto add = [&](std::vector<GateCheck> more) {
    gate.checks.insert(gate.checks.end(), more.begin(), more.end());
  };
  // With another criterion, a cell without a limit is not a cell that was not gated.
  if (!options.rate.empty() || !options.baseline.empty()) {
    std::erase_if(gate.checks, [&](const GateCheck& check) {
      return check.kind == "limit" && check.answer == GateAnswer::kInvalid &&
             !run.plan().limit_us && check.text.find("Not to be used") == std::string::npos;
    });
  }
  if (!options.rate.empty()) {
    RTSWEEP_TRY(const RateLimit limit, rate_limit(options, run.plan().limit_us));
    add(gate_rate(report, limit));
  }
  if (!options.baseline.empty()) {
    RTSWEEP_TRY(const RunReport baseline, read_baseline(options.baseline));
    gate.baseline = baseline.run;
    add(gate_baseline(report, baseline,
                      {.alpha = options.alpha / 100,
                       .typical_margin = 1 + options.margin / 100,
                       .maximum_margin = 1 + options.maximum_margin / 100}));
  }
  return gate;
}

// A run that cannot be believed is no baseline.
Result<void> record(const RunReport& report, const std::string& file) {
  const bool usable = !report.trials.empty() &&
                      static_cast<int>(report.trials.size()) >= report.planned &&
                      std::ranges::all_of(report.trials, &TrialResult::usable);
  if (!usable) {
    return Error(
        Errc::kBadData,
        "run " + report.run + " has trials that are missing, INVALID or ERROR: not recorded");
  }
  const auto folder = std::filesystem::path(file).parent_path();
  if (!folder.empty()) {
    RTSWEEP_CHECK_OK(make_directories(folder));
  }
  return write_file_durably(file, render_baseline(report));
}

int exit_code_of(GateAnswer answer) {
  switch (answer) {
    case GateAnswer::kPass:
      return kWithinLimits;
    case GateAnswer::kFail:
      return kLimitExceeded;
    case GateAnswer::kInvalid:
      break;
  }
  return kInvalidResult;
}

Result<int> print(const Gate& gate, const GateOptions& options) {
  RTSWEEP_TRY(const std::string text, render_gate(gate, options.format));
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else {
    RTSWEEP_CHECK_OK(write_file_durably(options.output, text));
  }
  return exit_code_of(gate.answer());
}

Result<int> run_gate(const GateOptions& options) {
  if (std::filesystem::is_regular_file(options.directory)) {
    RTSWEEP_TRY(const Gate gate, gate_of_plan(options));
    return print(gate, options);
  }
  RTSWEEP_TRY(const RunDirectory run, RunDirectory::open(options.directory));
  RTSWEEP_TRY(const RunReport report, load_report(run));
  if (!options.record.empty()) {
    RTSWEEP_CHECK_OK(record(report, options.record));
    fmt::print("recorded {} trials in {}\n", report.trials.size(), options.record);
    return kWithinLimits;
  }
  RTSWEEP_TRY(const Gate gate, gate_of_run(options, run, report));
  return print(gate, options);
}

void add_options(CLI::App& command, GateOptions& options) {
  command
      .add_option("dir", options.directory, "Run directory; or a plan file, to ask before the run")
      ->required();
  command.add_option("--baseline", options.baseline, "Compare with this recorded baseline");
  command.add_option("--record", options.record, "Record the run as a baseline in this file");
  command.add_option("--rate", options.rate,
                     "At most so many events above the limit: EVENTS/TIME, as in 1/24h");
  command.add_option("--above", options.above_us, "Limit of --rate in us (default: the plan's)")
      ->check(CLI::PositiveNumber);
  command.add_option("--miss", options.miss, "Chance that a system at the --rate passes, in %")
      ->check(CLI::Range(0.01, 50.0))
      ->capture_default_str();
  command.add_option("--alpha", options.alpha, "Chance of a false regression, in %")
      ->check(CLI::Range(0.01, 50.0))
      ->capture_default_str();
  command.add_option("--margin", options.margin, "Margin of the typical worst interval, in %")
      ->check(CLI::Range(1.0, 1000.0))
      ->capture_default_str();
  command.add_option("--maximum-margin", options.maximum_margin, "Margin of the run maximum, in %")
      ->check(CLI::Range(1.0, 1000.0))
      ->capture_default_str();
  command.add_option("--format", options.format, join(gate_formats(), ", "))->capture_default_str();
  command.add_option("-o,--output", options.output, "File to write (default: standard output)");
}

}  // namespace

void add_gate_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<GateOptions>();
  CLI::App* command = app.add_subcommand("gate", "The verdict for CI: pass, fail or invalid");
  add_options(*command, *options);
  command->add_flag_callback(
      "--json", [options] { options->format = "json"; }, "The same as --format json");
  command->footer(
      "Exit code: 0 PASS, 2 FAIL, 3 INVALID (the run decides nothing), 1 could not work");
  command->callback([options, &exit_code] {
    const auto done = run_gate(*options);
    exit_code = done ? *done : fail(done.error());
  });
}

}  // namespace rtsweep
