// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>

#include "runner/boot/target.h"
#include "runner/run/journal.h"
#include "runner/run/progress.h"
#include "runner/run/run_directory.h"

namespace rtsweep {

// How a run, or this part of it, came to an end.
enum class RunEnd {
  kComplete,  // every trial has ended
  kStopped,   // by the user or by `until`: the rest can be resumed
};

// Does what next_step() says until nothing is left: finishes what an earlier runner
// left behind, measures, and writes every step to the journal before it is taken.
//
// SIGINT or SIGTERM once: no new trial begins, those that run come to their end. Twice:
// they are ended now, and are marked as such.
class Supervisor {
 public:
  struct Options {
    bool retry_interrupted = false;  // begin trials that were cut short once more
    // No trial begins that would not end by then.
    std::optional<std::chrono::system_clock::time_point> until;
  };

  // All must outlive it. The run must be locked by the caller.
  Supervisor(const RunDirectory& run, Journal& journal, Target& target, Progress& progress,
             const Options& options)
      : run_(run), journal_(journal), target_(target), progress_(progress), options_(options) {}

  // The error is one of the suite (the disk is full), not of a trial.
  Result<RunEnd> run();

 private:
  Result<void> finish_what_was_left();
  Result<void> reset_interrupted();
  void work();                               // one of jobs() threads
  std::optional<PlannedTrial> begin_next();  // empty: nothing left for this thread
  bool ends_in_time(const PlannedTrial& trial) const;
  Result<void> measure(const PlannedTrial& trial);
  Result<void> end_trial(const PlannedTrial& trial, double wall_s);
  void worker_failed(Error error);
  void wait_for_workers(int workers);

  const RunDirectory& run_;
  Journal& journal_;
  Target& target_;
  Progress& progress_;
  Options options_;

  std::mutex mutex_;  // guards the journal and what follows
  std::optional<Error> failure_;
  std::atomic<bool> begin_no_more_ = false;
  std::atomic<bool> stop_ = false;
  UniqueFd worker_ended_;  // eventfd
};

}  // namespace rtsweep
