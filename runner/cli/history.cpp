// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep history [DIR]: all runs below a directory, by cell: trends and changes.

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/report/history_svg.h"
#include "analysis/report/plain_text.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/cli/commands.h"
#include "runner/cli/terminal.h"
#include "runner/history/run_index.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

struct HistoryOptions {
  std::string directory = "rtsweep-runs";
  std::string index;     // empty: in the directory
  std::string pictures;  // a directory; empty: none
  bool rebuild = false;
  bool json = false;
};

std::string name_of(const CellHistory& history) {
  std::vector<std::string> levels;
  for (const auto& [factor, level] : history.runs.front().cell) {
    levels.push_back(factor + "=" + level);
  }
  const CellOfRun& run = history.runs.front();
  return fmt::format("{}, {} time, {:g} s, {} CPU{}", join(levels, " "),
                     run.virtual_clock ? "virtual" : "real", run.duration_s, run.cpus,
                     run.cpus == 1 ? "" : "s");
}

void print_text(const std::vector<CellHistory>& all, const IndexUpdate& update) {
  const size_t width = output_width();
  fmt::print("{} run{}, {} read anew, {} gone\n", update.runs, update.runs == 1 ? "" : "s",
             update.read, update.gone);
  for (const CellHistory& history : all) {
    fmt::print("\n{}\n", join(wrap(printable(name_of(history)), width, 2, ""), "\n"));
    const CellOfRun& last = history.runs.back();
    fmt::print("  last: typical worst interval {:.0f} us, maximum {} us, {} trial{} ({})\n",
               std::exp(last.typical_worst), last.max_us, last.trials, last.trials == 1 ? "" : "s",
               printable(last.run));
    for (const std::string& sentence : history.sentences()) {
      fmt::print("{}\n", join(wrap(printable(sentence), width, 2, "  "), "\n"));
    }
  }
}

nlohmann::json json_of(const CellHistory& history) {
  nlohmann::json runs = nlohmann::json::array();
  for (const CellOfRun& run : history.runs) {
    runs.push_back({{"run", run.run},
                    {"started", run.started},
                    {"trials", run.trials},
                    {"typical_worst_us", std::exp(run.typical_worst)},
                    {"run_maximum_us", std::exp(run.run_maximum)},
                    {"max_us", run.max_us}});
  }
  nlohmann::json changes = nlohmann::json::array();
  for (const HistoryChange& change : history.changes) {
    changes.push_back({{"statistic", change.statistic},
                       {"since", history.runs[change.since].run},
                       {"noticed", history.runs[change.noticed].run},
                       {"ratio", change.ratio}});
  }
  const CellOfRun& first = history.runs.front();
  return {{"cell", first.cell},
          {"clock", first.virtual_clock ? "virtual" : "real"},
          {"duration_s", first.duration_s},
          {"cpus", first.cpus},
          {"runs", runs},
          {"changes", changes},
          {"related", history.related},
          {"text", history.sentences()}};
}

void print_json(const std::vector<CellHistory>& all, const IndexUpdate& update) {
  nlohmann::json cells = nlohmann::json::array();
  for (const CellHistory& history : all) cells.push_back(json_of(history));
  const nlohmann::json json = {
      {"schema", 1}, {"runs", update.runs}, {"unreadable", update.unreadable}, {"cells", cells}};
  std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

Result<void> write_pictures(const std::vector<CellHistory>& all, const fs::path& directory) {
  std::error_code ec;
  fs::create_directories(directory, ec);
  for (size_t i = 0; i < all.size(); ++i) {
    RTSWEEP_CHECK_OK(write_file_durably(directory / fmt::format("cell-{:03}.svg", i + 1),
                                        history_svg(all[i], name_of(all[i]))));
  }
  return {};
}

Result<int> show_history(const HistoryOptions& options) {
  const fs::path file = options.index.empty() ? fs::path(options.directory) / "history.sqlite"
                                              : fs::path(options.index);
  std::error_code ec;
  if (!fs::is_directory(options.directory, ec)) {
    return Error(Errc::kInvalidPlan, options.directory + " is no directory of runs");
  }
  RTSWEEP_TRY(RunIndex index, RunIndex::open(file));
  if (options.rebuild) RTSWEEP_CHECK_OK(index.clear());
  RTSWEEP_TRY(const IndexUpdate update, index.update(options.directory));
  RTSWEEP_TRY(std::vector<CellOfRun> cells, index.cells());
  const auto all = history_of(std::move(cells));
  for (const std::string& why : update.unreadable) fmt::print(stderr, "rtsweep: {}\n", why);
  if (options.json) {
    print_json(all, update);
  } else {
    print_text(all, update);
  }
  if (!options.pictures.empty()) RTSWEEP_CHECK_OK(write_pictures(all, options.pictures));
  return kWithinLimits;
}

}  // namespace

void add_history_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<HistoryOptions>();
  CLI::App* command = app.add_subcommand("history", "All runs of a directory: trends and changes");
  command->add_option("directory", options->directory, "Holds the run directories")
      ->capture_default_str();
  command->add_option("--index", options->index,
                      "SQLite file with the numbers (default: DIRECTORY/history.sqlite)");
  command->add_flag("--rebuild", options->rebuild, "Make the index again from the directories");
  command->add_option("--pictures", options->pictures,
                      "Write an SVG for each cell to this directory");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &exit_code] {
    const auto done = show_history(*options);
    exit_code = done ? *done : fail(done.error());
  });
}

}  // namespace rtsweep
