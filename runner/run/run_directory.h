// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "analysis/run_report.h"
#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/plan/plan.h"

namespace rtsweep {

// The version of the run directory's format; results/README.md describes it.
inline constexpr int kRunFormat = 1;

// What is known of a run before its first trial; run.json.
struct RunHead {
  std::string rtsweep_version;
  std::string host;     // what measures or emulates, without its name
  std::string created;  // ISO 8601, UTC
  std::vector<std::pair<Cell, std::string>> impossible;  // cells left out, and why

  bool operator==(const RunHead&) const = default;
};

// What a target made ready; kernels.json.
struct RunMachines {
  std::string emulator;
  std::vector<KernelResult> kernels;
};

// One execution of a plan: a directory that holds all that is needed to go on or to
// report. Only one runner may work in it at a time.
class RunDirectory {
 public:
  // Makes a new one; kIo if something is there already. All of it is on disk when
  // this returns.
  static Result<RunDirectory> create(const std::filesystem::path& directory, const Plan& plan,
                                     const RunHead& head);

  // Opens an existing one; kBadData naming the file if it is not one or of a later format.
  static Result<RunDirectory> open(const std::filesystem::path& directory);

  const std::filesystem::path& path() const { return directory_; }  // absolute
  std::filesystem::path journal_file() const { return directory_ / "journal.jsonl"; }
  const Plan& plan() const { return plan_; }
  const RunHead& head() const { return head_; }

  // The trials to be measured, in order; impossible ones are left out.
  const std::vector<PlannedTrial>& trials() const { return trials_; }
  const PlannedTrial& trial(int id) const;

  // "trials/003_6.1-rt_arm64_hackbench_r1": number and meaning.
  std::string trial_name(const PlannedTrial& trial) const;
  std::filesystem::path trial_directory(const PlannedTrial& trial) const {
    return directory_ / trial_name(trial);
  }

  Result<void> write_machines(const RunMachines& machines) const;
  RunMachines read_machines() const;  // empty when none were written yet

  // Until the object ends, no other process gets it; kIo when somebody has it already.
  Result<void> lock();

 private:
  RunDirectory(const std::filesystem::path& directory, Plan plan, RunHead head);

  std::filesystem::path directory_;
  Plan plan_;
  RunHead head_;
  std::vector<PlannedTrial> trials_;
  UniqueFd lock_;
};

}  // namespace rtsweep
