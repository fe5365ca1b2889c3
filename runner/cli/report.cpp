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

Result<void> report(const std::string& directory, const std::string& format,
                    const std::string& output) {
  RTSWEEP_TRY(const OpenedRun run, open_run(directory));
  RTSWEEP_TRY(const RunReport loaded, load_report(run.run));
  RTSWEEP_TRY(const std::string text, render(loaded, format));
  if (!output.empty()) return write_file_durably(output, text);
  fmt::print("{}", text);
  return {};
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  struct Arguments {
    std::string directory;
    std::string format = "text";
    std::string output;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("report", "Render the report of a run");
  command->add_option("dir", arguments->directory, "Run directory, or a bundle")->required();
  command->add_option("--format", arguments->format, join(report_formats(), ", "))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "File to write (default: standard output)");
  command->callback([arguments, &exit_code] {
    const auto done = report(arguments->directory, arguments->format, arguments->output);
    exit_code = done ? kWithinLimits : fail(done.error());
  });
}

}  // namespace rtsweep
