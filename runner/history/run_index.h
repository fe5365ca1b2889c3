// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/history.h"
#include "runner/base/result.h"

struct sqlite3;

namespace rtsweep {

// What update() did.
struct IndexUpdate {
  size_t runs = 0;                      // in the index now
  size_t read = 0;                      // read anew, being new or changed
  size_t gone = 0;                      // dropped, their directories being gone
  std::vector<std::string> unreadable;  // "DIR: why"
};

// The numbers of all runs below some directories, in one SQLite file, so that a question about a
// hundred nights need not read a hundred runs. Holds nothing that the directories do not say: it
// may be deleted at any time. Tables for queries of one's own: runs (directory, run, started,
// stamp), cells (directory, cell as JSON, clock, duration_s, cpus, trials, typical_worst_us,
// run_maximum_us, max_us).
class RunIndex {
 public:
  // Opens or makes it. kIo naming the file.
  static Result<RunIndex> open(const std::filesystem::path& file);

  // Reads the run directories directly in `directory` that are new or whose journal has changed
  // since, and drops those of this directory that are gone.
  Result<IndexUpdate> update(const std::filesystem::path& directory);

  // Forgets all runs: the next update reads them again.
  Result<void> clear();

  // All cells of all runs, by time.
  Result<std::vector<CellOfRun>> cells() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit RunIndex(sqlite3* database) : database_(database) {}

  Result<void> make_tables();
  Result<std::string> stamp_of(const std::string& directory) const;
  Result<void> add(const std::string& directory, const std::string& stamp);
  Result<size_t> drop_missing(const std::filesystem::path& parent);
  Result<void> remove(const std::string& directory);

  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace rtsweep
