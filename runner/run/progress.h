// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/run_report.h"
#include "runner/plan/plan.h"

namespace rtsweep {

// What the user sees while a run goes on: a line for each trial that ended, and on a
// terminal a last line that says what runs now. Plain lines only when the output is
// not a terminal. Called from several threads.
class Progress {
 public:
  // `columns` is the terminal's width; 0 when `out` is none. `expected_s` is the plan's
  // expected host time of each trial, by id, for the ETA.
  Progress(std::FILE* out, size_t columns, std::map<int, double> expected_s, int jobs)
      : out_(out), columns_(columns), expected_s_(std::move(expected_s)), jobs_(jobs) {}

  void say(std::string_view line);  // something of the whole run
  void stage(const PlannedTrial& trial, std::string_view stage);
  void ended(const TrialResult& result, double wall_s);
  // A trial that an earlier runner ended, as the journal has it.
  void already_done(const PlannedTrial& trial, std::string_view verdict,
                    std::optional<int64_t> max_us);

  // The end of all trials, as it looks now; empty before it can be told.
  std::optional<std::chrono::seconds> eta();

 private:
  std::optional<double> eta_s() const;
  void draw_status();
  void clear_status();
  void count(const Cell& cell, bool usable, std::optional<int64_t> max_us);

  std::mutex mutex_;
  std::FILE* out_;
  size_t columns_;
  std::map<int, double> expected_s_;  // of trials that have not ended
  int jobs_;
  size_t total_ = expected_s_.size();
  size_t done_ = 0;
  double expected_done_s_ = 0;          // what the plan expected of those that ended here
  double real_done_s_ = 0;              // what they took
  std::map<int, std::string> running_;  // by id: "6.1-rt arm64 idle: booting"
  std::optional<int64_t> worst_us_;
  std::string worst_cell_;
};

// "6.1-rt arm64 hackbench": the levels, in the order of their factors' names.
std::string cell_text(const Cell& cell);

}  // namespace rtsweep
