// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

#include "runner/base/result.h"

namespace rtsweep {

// One SQL statement with its values. The database outlives it.
class Statement {
 public:
  static Result<Statement> prepare(sqlite3* database, const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      return Error(Errc::kIo, "history index: " + std::string(sqlite3_errmsg(database)));
    }
    return Statement(database, statement);
  }

  // The next `?`.
  Statement& bind(const std::string& text) {
    sqlite3_bind_text(get(), ++bound_, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
    return *this;
  }
  Statement& bind(double value) {
    sqlite3_bind_double(get(), ++bound_, value);
    return *this;
  }
  Statement& bind(int64_t value) {
    sqlite3_bind_int64(get(), ++bound_, value);
    return *this;
  }

  // True: a row is there to be read. False: there are no more.
  Result<bool> step() {
    const int answer = sqlite3_step(get());
    if (answer == SQLITE_ROW) return true;
    if (answer == SQLITE_DONE) return false;
    return Error(Errc::kIo, "history index: " + std::string(sqlite3_errmsg(database_)));
  }

  std::string text(int column) const {
    const auto* bytes = sqlite3_column_text(get(), column);
    return bytes == nullptr ? "" : reinterpret_cast<const char*>(bytes);
  }
  double real(int column) const { return sqlite3_column_double(get(), column); }
  int64_t integer(int column) const { return sqlite3_column_int64(get(), column); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Statement(sqlite3* database, sqlite3_stmt* statement)
      : database_(database), statement_(statement) {}
  sqlite3_stmt* get() const { return statement_.get(); }

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

}  // namespace rtsweep
