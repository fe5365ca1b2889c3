// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/files.h"
#include "runner/base/result.h"

namespace rtsweep {

// The journal is the run's memory across crashes and power cuts: journal.jsonl, one
// JSON object a line, only ever appended to. An entry is on disk before the act that
// it announces, so that a trial that hangs the machine is seen as begun and not ended.
//
//   {"event":"runner_began","time":"2026-11-30T18:40:01Z"}
//   {"event":"trial_began","time":"...","trial":7}
//   {"event":"trial_ended","time":"...","trial":7,"verdict":"PASS","max_us":82}
//   {"event":"trial_reset","time":"...","trial":8}      may be begun once more
//   {"event":"run_ended","time":"..."}
struct JournalEntry {
  enum class Kind { kRunnerBegan, kTrialBegan, kTrialEnded, kTrialReset, kRunEnded };

  Kind kind = Kind::kRunnerBegan;
  int trial = 0;                  // its id, from 1
  std::string verdict;            // of an ended trial
  std::optional<int64_t> max_us;  // of one that measured; for progress, reports look again
  std::string time;               // ISO 8601, UTC
};

// Reads a journal. A torn last line (power cut while writing) is read as not written;
// anything else that is wrong is kBadData with the line number.
Result<std::vector<JournalEntry>> parse_journal(std::string_view text);

std::string journal_line(const JournalEntry& entry);

// Appends to a run's journal and keeps what it holds.
class Journal {
 public:
  // Opens or creates it. A torn last line is cut off, so that the next entry begins
  // on a line of its own.
  static Result<Journal> open(const std::filesystem::path& file);

  // On disk when this returns. Sets the entry's time.
  Result<void> append(JournalEntry entry);

  std::span<const JournalEntry> entries() const { return entries_; }

 private:
  Journal(AppendFile file, std::vector<JournalEntry> entries)
      : file_(std::move(file)), entries_(std::move(entries)) {}

  AppendFile file_;
  std::vector<JournalEntry> entries_;
};

// The last word on each trial that has ended and was not reset, by id.
std::map<int, JournalEntry> ended_trials(std::span<const JournalEntry> journal);

// What a runner must do next.
struct NextStep {
  enum class Kind {
    kFinish,   // an earlier runner began this trial and did not end it: judge what it left
    kMeasure,  // begin this trial
    kWait,     // all trials are begun; some still run
    kReport,   // nothing is left to do
  };
  Kind kind = Kind::kReport;
  int trial = 0;

  bool operator==(const NextStep&) const = default;
};

// Reads the next step off the plan's trials (their ids, in order) and the journal
// alone: no clock, no files, no kernel.
//
// A trial that began is never begun again unless the journal resets it: it may be
// what hung the machine, and what it measured must not be measured twice. Trials
// that began since the last runner_began are that runner's own and still running.
NextStep next_step(std::span<const int> trials, std::span<const JournalEntry> journal);

}  // namespace rtsweep
