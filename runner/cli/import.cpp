// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep import FILE...: reads what cyclictest wrote elsewhere, in any of its formats, and
// reports it as if it were a run of ours. Writes nothing but the report.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "analysis/cyclictest_output.h"
#include "analysis/foreign_report.h"
#include "analysis/report/render.h"
#include "rtsweep_version.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/cli/commands.h"

namespace rtsweep {
namespace {

struct ImportOptions {
  std::vector<std::string> files;
  std::string format = "text";
  bool json = false;
  std::string output;
};

Result<std::vector<CyclictestRun>> read_runs(const std::string& file) {
  RTSWEEP_TRY(const std::string text, read_file(file));
  return parse_cyclictest(text, file);
}

Result<void> print_report(const RunReport& report, const ImportOptions& options) {
  RTSWEEP_TRY(const std::string text, render(report, options.json ? "json" : options.format));
  if (!options.output.empty()) return write_file_durably(options.output, text);
  fmt::print("{}", text);
  return {};
}

// File names without their folders, unless two files have the same.
void shorten_sources(std::vector<CyclictestRun>& runs, const std::vector<std::string>& files) {
  std::set<std::string> names;
  for (const std::string& file : files) names.insert(std::filesystem::path(file).filename());
  if (names.size() < files.size()) return;
  for (CyclictestRun& run : runs) run.source = std::filesystem::path(run.source).filename();
}

// A file that cannot be read does not keep the others from being reported.
int import_files(const ImportOptions& options) {
  int code = kWithinLimits;
  std::vector<CyclictestRun> runs;
  for (const std::string& file : options.files) {
    auto read = read_runs(file);
    if (!read) {
      code = fail(read.error());
      continue;
    }
    std::move(read->begin(), read->end(), std::back_inserter(runs));
  }
  if (runs.empty()) return code;
  shorten_sources(runs, options.files);
  RunReport report = foreign_report(runs);
  report.rtsweep_version = kVersion;
  if (const auto done = print_report(report, options); !done) return fail(done.error());
  const bool invalid =
      std::any_of(report.trials.begin(), report.trials.end(),
                  [](const TrialResult& trial) { return trial.verdict == Verdict::kInvalid; });
  return code == kWithinLimits && invalid ? kInvalidResult : code;
}

}  // namespace

void add_import_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("import", "Report what cyclictest wrote elsewhere");
  const auto options = std::make_shared<ImportOptions>();
  command->add_option("files", options->files, "Output of cyclictest: JSON, histogram, text, mail")
      ->required();
  command->add_option("--format", options->format, join(report_formats(), ", "))
      ->capture_default_str();
  command->add_flag("--json", options->json, "The same as --format json");
  command->add_option("-o,--output", options->output, "File to write (default: standard output)");
  command->callback([options, &exit_code] { exit_code = import_files(*options); });
}

}  // namespace rtsweep
