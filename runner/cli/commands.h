// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <CLI/CLI.hpp>
#include <string_view>

#include "runner/base/result.h"
#include "runner/cli/program.h"

namespace rtsweep {

// Exit codes of every command (a contract with users' scripts).
enum ExitCode {
  kWithinLimits = 0,   // done, and everything is within its limits
  kCouldNotWork = 1,   // rtsweep could not do its work; also a wrong command line or plan
  kLimitExceeded = 2,  // a limit was exceeded
  kInvalidResult = 3,  // the result must not be used
};

// Each adds one subcommand; what it returns when it is run becomes the exit code.
void add_check_command(CLI::App& app, int& exit_code);
void add_plan_command(CLI::App& app, int& exit_code);
void add_run_command(CLI::App& app, int& exit_code, const TargetFactory& targets,
                     const HostRoot& host);
void add_resume_command(CLI::App& app, int& exit_code, const TargetFactory& targets,
                        const HostRoot& host);
void add_status_command(CLI::App& app, int& exit_code);
void add_report_command(CLI::App& app, int& exit_code);
void add_compare_command(CLI::App& app, int& exit_code);
void add_gate_command(CLI::App& app, int& exit_code);
void add_kernel_command(CLI::App& app, int& exit_code);
void add_import_command(CLI::App& app, int& exit_code);
void add_explain_command(CLI::App& app, int& exit_code);
void add_bundle_command(CLI::App& app, int& exit_code);
void add_replay_command(CLI::App& app, int& exit_code);
void add_history_command(CLI::App& app, int& exit_code);
void add_list_command(CLI::App& app, int& exit_code);
void add_selftest_command(CLI::App& app, int& exit_code);

// Prints "rtsweep: MESSAGE" on standard error and returns kCouldNotWork.
int fail(const Error& error);

}  // namespace rtsweep
