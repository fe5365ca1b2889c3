// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep import FILE...: reads what cyclictest wrote elsewhere, in any of its formats, and
// reports it as if it were a run of ours. With --out, the files and their reports stay
// together in a directory.

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
#include "runner/cli/run_session.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

struct ImportOptions {
  std::vector<std::string> files;
  std::string format = "text";
  bool json = false;
  std::string output;
  std::string directory;
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

// The files as they were, numbered for those of the same name, and every report of them.
Result<void> keep_together(const RunReport& report, const ImportOptions& options) {
  const fs::path directory = options.directory;
  std::error_code ec;
  if (fs::exists(directory, ec)) {
    return Error(Errc::kIo, directory.string() + " is there already: name a new directory");
  }
  RTSWEEP_CHECK_OK(make_directories(directory / "files"));
  for (size_t i = 0; i < options.files.size(); ++i) {
    RTSWEEP_TRY(const std::string text, read_file(options.files[i]));
    const std::string name =
        fmt::format("{:03}_{}", i + 1, fs::path(options.files[i]).filename().string());
    RTSWEEP_CHECK_OK(write_file_durably(directory / "files" / name, text));
  }
  RTSWEEP_CHECK_OK(write_reports(directory / "report", report));
  fmt::print("report: {}\n", (directory / "report/report.html").string());
  return {};
}

// File names without their folders, unless two files have the same.
void shorten_sources(std::vector<CyclictestRun>& runs, const std::vector<std::string>& files) {
  std::set<std::string> names;
  for (const std::string& file : files) names.insert(fs::path(file).filename());
  if (names.size() < files.size()) return;
  for (CyclictestRun& run : runs) run.source = fs::path(run.source).filename();
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
  if (!options.directory.empty()) {
    if (const auto kept = keep_together(report, options); !kept) return fail(kept.error());
  } else if (const auto done = print_report(report, options); !done) {
    return fail(done.error());
  }
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
  command->add_option("--out", options->directory,
                      "New directory for the files and their reports in every format");
  command->callback([options, &exit_code] { exit_code = import_files(*options); });
}

}  // namespace rtsweep
