// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/history/run_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "runner/history/statement.h"
#include "runner/run/evaluate.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS runs (directory TEXT PRIMARY KEY, run TEXT, started TEXT,"
    " stamp TEXT);"
    "CREATE TABLE IF NOT EXISTS cells (directory TEXT, cell TEXT, clock TEXT, duration_s REAL,"
    " cpus INTEGER, trials INTEGER, typical_worst_us REAL, run_maximum_us REAL, max_us INTEGER);"
    "CREATE INDEX IF NOT EXISTS cells_of_run ON cells (directory);";

Result<void> execute(sqlite3* database, const char* sql) {
  char* message = nullptr;
  if (sqlite3_exec(database, sql, nullptr, nullptr, &message) == SQLITE_OK) return {};
  const std::string why = message == nullptr ? "unknown error" : message;
  sqlite3_free(message);
  return Error(Errc::kIo, "history index: " + why);
}

// Changes whenever a trial ends: size and time of the journal.
std::string stamp_on_disk(const fs::path& run) {
  std::error_code no_size, no_time;
  const auto size = fs::file_size(run / "journal.jsonl", no_size);
  const auto time = fs::last_write_time(run / "journal.jsonl", no_time);
  if (no_size || no_time) return "none";
  return fmt::format("{} {}", size, time.time_since_epoch().count());
}

std::vector<fs::path> run_directories(const fs::path& parent) {
  std::vector<fs::path> found;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(parent, ec)) {
    if (fs::exists(entry.path() / "run.json", ec)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

void RunIndex::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Result<RunIndex> RunIndex::open(const fs::path& file) {
  sqlite3* database = nullptr;
  const int answer = sqlite3_open(file.c_str(), &database);
  RunIndex index(database);
  if (answer != SQLITE_OK) {
    return Error(Errc::kIo, fmt::format("open {}: {}", file.string(), sqlite3_errstr(answer)));
  }
  sqlite3_busy_timeout(database, 10'000);
  if (auto made = index.make_tables(); !made) {
    return std::move(made).error().with_context(file.string());
  }
  return index;
}

Result<void> RunIndex::make_tables() { return execute(database_.get(), kTables); }

Result<void> RunIndex::clear() {
  return execute(database_.get(), "DELETE FROM runs; DELETE FROM cells");
}

Result<std::string> RunIndex::stamp_of(const std::string& directory) const {
  RTSWEEP_TRY(Statement select,
              Statement::prepare(database_.get(), "SELECT stamp FROM runs WHERE directory = ?"));
  RTSWEEP_TRY(const bool known, select.bind(directory).step());
  return known ? select.text(0) : std::string();
}

Result<void> RunIndex::remove(const std::string& directory) {
  for (const char* sql :
       {"DELETE FROM runs WHERE directory = ?", "DELETE FROM cells WHERE directory = ?"}) {
    RTSWEEP_TRY(Statement statement, Statement::prepare(database_.get(), sql));
    RTSWEEP_TRY([[maybe_unused]] const bool row, statement.bind(directory).step());
  }
  return {};
}

Result<void> RunIndex::add(const std::string& directory, const std::string& stamp) {
  RTSWEEP_TRY(const RunDirectory run, RunDirectory::open(directory));
  RTSWEEP_TRY(const RunReport report, load_report(run));
  RTSWEEP_CHECK_OK(remove(directory));
  RTSWEEP_TRY(Statement insert_run,
              Statement::prepare(database_.get(), "INSERT INTO runs VALUES (?, ?, ?, ?)"));
  insert_run.bind(directory).bind(report.run).bind(report.started).bind(stamp);
  RTSWEEP_TRY([[maybe_unused]] const bool none, insert_run.step());
  for (const CellOfRun& cell : cells_of_run(report)) {
    RTSWEEP_TRY(Statement insert,
                Statement::prepare(database_.get(),
                                   "INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    insert.bind(directory)
        .bind(nlohmann::json(cell.cell).dump(-1, ' ', false,
                                             nlohmann::json::error_handler_t::replace))
        .bind(std::string(cell.virtual_clock ? "virtual" : "real"))
        .bind(cell.duration_s)
        .bind(static_cast<int64_t>(cell.cpus))
        .bind(static_cast<int64_t>(cell.trials))
        .bind(std::exp(cell.typical_worst))
        .bind(std::exp(cell.run_maximum))
        .bind(cell.max_us);
    RTSWEEP_TRY([[maybe_unused]] const bool row, insert.step());
  }
  return {};
}

Result<size_t> RunIndex::drop_missing(const fs::path& parent) {
  std::vector<std::string> missing;
  {
    RTSWEEP_TRY(Statement select,
                Statement::prepare(database_.get(), "SELECT directory FROM runs"));
    for (;;) {
      RTSWEEP_TRY(const bool row, select.step());
      if (!row) break;
      const fs::path directory = select.text(0);
      std::error_code ec;
      if (directory.parent_path() == parent && !fs::exists(directory / "run.json", ec)) {
        missing.push_back(directory.string());
      }
    }
  }
  for (const std::string& directory : missing) RTSWEEP_CHECK_OK(remove(directory));
  return missing.size();
}

Result<IndexUpdate> RunIndex::update(const fs::path& directory) {
  std::error_code ec;
  const fs::path parent = fs::canonical(directory, ec);
  if (ec) return Error(Errc::kIo, fmt::format("{}: {}", directory.string(), ec.message()));
  IndexUpdate update;
  RTSWEEP_CHECK_OK(execute(database_.get(), "BEGIN"));
  RTSWEEP_TRY(update.gone, drop_missing(parent));
  for (const fs::path& run : run_directories(parent)) {
    const std::string stamp = stamp_on_disk(run);
    RTSWEEP_TRY(const std::string known, stamp_of(run.string()));
    if (known == stamp) continue;
    if (auto added = add(run.string(), stamp); !added) {
      update.unreadable.push_back(run.string() + ": " + added.error().message());
      continue;
    }
    ++update.read;
  }
  RTSWEEP_TRY(Statement count, Statement::prepare(database_.get(), "SELECT count(*) FROM runs"));
  RTSWEEP_TRY([[maybe_unused]] const bool row, count.step());
  update.runs = static_cast<size_t>(count.integer(0));
  RTSWEEP_CHECK_OK(execute(database_.get(), "COMMIT"));
  return update;
}

Result<std::vector<CellOfRun>> RunIndex::cells() const {
  RTSWEEP_TRY(Statement select,
              Statement::prepare(
                  database_.get(),
                  "SELECT runs.run, runs.started, cell, clock, duration_s, cpus, trials,"
                  " typical_worst_us, run_maximum_us, max_us FROM cells JOIN runs"
                  " ON cells.directory = runs.directory ORDER BY runs.started, cells.rowid"));
  std::vector<CellOfRun> cells;
  for (;;) {
    RTSWEEP_TRY(const bool row, select.step());
    if (!row) return cells;
    const auto levels = nlohmann::json::parse(select.text(2), nullptr, false);
    if (!levels.is_object()) {
      return Error(Errc::kBadData, "history index: a cell is no JSON; delete the file");
    }
    CellOfRun cell{.run = select.text(0), .started = select.text(1)};
    for (const auto& [factor, level] : levels.items()) {
      if (level.is_string()) cell.cell[factor] = level.get<std::string>();
    }
    cell.virtual_clock = select.text(3) == "virtual";
    cell.duration_s = select.real(4);
    cell.cpus = static_cast<size_t>(select.integer(5));
    cell.trials = static_cast<size_t>(select.integer(6));
    cell.typical_worst = std::log(select.real(7));
    cell.run_maximum = std::log(select.real(8));
    cell.max_us = select.integer(9);
    cells.push_back(std::move(cell));
  }
}

}  // namespace rtsweep
