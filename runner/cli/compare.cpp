// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep compare A B: is B worse than A? Yes, no or unclear, with the error rates.

#include <fmt/format.h>

#include <filesystem>

#include "analysis/report/comparison.h"
#include "runner/base/text.h"
#include "runner/cli/commands.h"
#include "runner/run/evaluate.h"

namespace rtsweep {
namespace {

// "DIR", or "DIR:kernel=6.1-rt,load=idle" for the trials at these levels.
struct Side {
  std::string directory;
  Cell levels;
};

Result<Side> parse_side(const std::string& text) {
  const auto colon = text.rfind(':');
  if (std::filesystem::exists(text) || colon == std::string::npos) return Side{text, {}};
  Side side{text.substr(0, colon), {}};
  for (const std::string& part : split(text.substr(colon + 1), ',')) {
    const auto equals = part.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error(Errc::kInvalidPlan, "\"" + part + "\" in \"" + text + "\" is no factor=level");
    }
    side.levels[part.substr(0, equals)] = part.substr(equals + 1);
  }
  return side;
}

Result<RunReport> load_side(const std::string& text) {
  RTSWEEP_TRY(const Side side, parse_side(text));
  RTSWEEP_TRY(const RunDirectory run, RunDirectory::open(side.directory));
  RTSWEEP_TRY(RunReport report, load_report(run));
  return select_levels(std::move(report), side.levels);
}

// Worse by less than the margin is within limits: that is what a margin is for.
int exit_code_of(const RunComparison& comparison) {
  switch (comparison.answer()) {
    case statistics::Answer::kRegression:
      return kLimitExceeded;
    case statistics::Answer::kUnclear:
      return kInvalidResult;
    default:
      return kWithinLimits;
  }
}

struct CompareOptions {
  std::string old_side, new_side;
  double alpha = 5;
  double margin = 20;
  double maximum_margin = 50;
  bool json = false;
};

Result<int> compare(const CompareOptions& options) {
  RTSWEEP_TRY(const RunReport old_report, load_side(options.old_side));
  RTSWEEP_TRY(const RunReport new_report, load_side(options.new_side));
  const statistics::CompareRules rules{.alpha = options.alpha / 100,
                                       .typical_margin = 1 + options.margin / 100,
                                       .maximum_margin = 1 + options.maximum_margin / 100};
  RTSWEEP_TRY(const RunComparison comparison, compare_runs(old_report, new_report, rules));
  fmt::print(
      "{}", options.json ? render_comparison_json(comparison) : render_comparison_text(comparison));
  return exit_code_of(comparison);
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Is run B worse than run A?");
  command->add_option("a", options->old_side, "Old: run directory, or DIR:factor=level,...")
      ->required();
  command->add_option("b", options->new_side, "New: run directory, or DIR:factor=level,...")
      ->required();
  command->add_option("--alpha", options->alpha, "Chance of a false regression, in % (gate: 1)")
      ->check(CLI::Range(0.01, 50.0))
      ->capture_default_str();
  command
      ->add_option("--margin", options->margin,
                   "By how many % the typical worst interval may be longer")
      ->check(CLI::Range(1.0, 1000.0))
      ->capture_default_str();
  command
      ->add_option("--maximum-margin", options->maximum_margin,
                   "By how many % the run maximum may be larger")
      ->check(CLI::Range(1.0, 1000.0))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Exit code: 0 no regression (or worse by less than the margin), 2 regression, 3 unclear,\n"
      "1 could not compare. Within one run: compare DIR:kernel=6.1-rt DIR:kernel=6.12-rt");
  command->callback([options, &exit_code] {
    const auto done = compare(*options);
    exit_code = done ? *done : fail(done.error());
  });
}

}  // namespace rtsweep
