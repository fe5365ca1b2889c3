// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep report DIR: renders a run directory, complete or not, as often as wanted.

#include <fmt/format.h>

#include "analysis/report/render.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/bundle/open_run.h"
#include "runner/cli/commands.h"
#include "runner/run/evaluate.h"

namespace rtsweep {
namespace {

struct Arguments {
  std::string directory;
  std::string format = "text";
  std::string output;
  std::string origin;
};

Result<std::string> rendered(const RunReport& report, const Arguments& arguments) {
  if (arguments.origin.empty()) return render(report, arguments.format);
  if (arguments.format != "kcidb" || !is_kcidb_origin(arguments.origin)) {
    return Error(Errc::kInvalidPlan,
                 "--origin goes with --format kcidb, and has lower-case letters, digits and '_'");
  }
  return render_kcidb(report, arguments.origin);
}

Result<void> report(const Arguments& arguments) {
  RTSWEEP_TRY(const OpenedRun run, open_run(arguments.directory));
  RTSWEEP_TRY(const RunReport loaded, load_report(run.run));
  RTSWEEP_TRY(const std::string text, rendered(loaded, arguments));
  if (!arguments.output.empty()) return write_file_durably(arguments.output, text);
  fmt::print("{}", text);
  return {};
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("report", "Render the report of a run");
  command->add_option("dir", arguments->directory, "Run directory, or a bundle")->required();
  command->add_option("--format", arguments->format, join(report_formats(), ", "))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "File to write (default: standard output)");
  command->add_option("--origin", arguments->origin,
                      "Name of your CI system in KCIDB, for --format kcidb");
  command->callback([arguments, &exit_code] {
    const auto done = report(*arguments);
    exit_code = done ? kWithinLimits : fail(done.error());
  });
}

}  // namespace rtsweep
