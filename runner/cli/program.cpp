// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/cli/program.h"

#include <fmt/format.h>

#include "rtsweep_version.h"
#include "runner/cli/commands.h"

namespace rtsweep {

int fail(const Error& error) {
  fmt::print(stderr, "rtsweep: {}\n", error.message());
  return kCouldNotWork;
}

int run_program(int argc, char** argv, const TargetFactory& targets, const HostRoot& host) {
  CLI::App app("Real-time latency tests for PREEMPT_RT kernels", "rtsweep");
  app.set_version_flag("--version", std::string("rtsweep ") + kVersion);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  int exit_code = kWithinLimits;
  add_check_command(app, exit_code);
  add_plan_command(app, exit_code);
  add_run_command(app, exit_code, targets, host);
  add_resume_command(app, exit_code, targets, host);
  add_status_command(app, exit_code);
  add_report_command(app, exit_code);
  add_compare_command(app, exit_code);
  add_gate_command(app, exit_code);
  add_kernel_command(app, exit_code);
  add_import_command(app, exit_code);
  add_explain_command(app, exit_code);
  add_bundle_command(app, exit_code);
  add_replay_command(app, exit_code);
  add_history_command(app, exit_code);
  add_list_command(app, exit_code);
  add_selftest_command(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? kWithinLimits : kCouldNotWork;
  }
  return exit_code;
}

}  // namespace rtsweep
