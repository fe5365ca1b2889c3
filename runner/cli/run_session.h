// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "analysis/run_report.h"
#include "runner/cli/program.h"
#include "runner/run/run_directory.h"

namespace rtsweep {

struct SessionOptions {
  bool retry_interrupted = false;
  std::string until;  // "HH:MM", local time; empty: no end
};

// Works on a run until it is complete or stopped, writes its reports, prints the text
// report and where the page is. Returns the exit code. What a killed runner left tuned on
// the host is undone first.
int work_on_run(RunDirectory run, const SessionOptions& options, const TargetFactory& targets,
                const HostRoot& host);

// Renders the report in every format into the directory: report.html, report.json, ...
Result<void> write_reports(const std::filesystem::path& directory, const RunReport& report);

// The next time that the clock shows HH:MM, local time; kInvalidPlan if it is no time.
Result<std::chrono::system_clock::time_point> next_time_of_day(
    const std::string& text, std::chrono::system_clock::time_point now);

// Where the guest programs of this build or installation are: $RTSWEEP_GUESTS, else
// beside the program.
std::filesystem::path guests_directory();

// The exit code that the trials' verdicts come to: a limit that was exceeded before a
// result that cannot be used before a trial that could not be measured.
int exit_code_of(const RunReport& report);

}  // namespace rtsweep
