// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep check: what on this machine, or in the files of another one, would spoil a
// real-time measurement.

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/kernel_arch.h"
#include "analysis/rt_rules.h"
#include "runner/base/files.h"
#include "runner/cli/check_inputs.h"
#include "runner/cli/check_text.h"
#include "runner/cli/commands.h"
#include "runner/cli/terminal.h"
#include "runner/kernels/data_file.h"

namespace rtsweep {
namespace {

struct CheckOptions {
  CheckInputs inputs;
  bool verbose = false;
  bool json = false;
};

Result<RuleTable> read_rules() {
  RTSWEEP_TRY(const auto file, find_data_file("rt-rules.toml", "RTSWEEP_RT_RULES"));
  RTSWEEP_TRY(const std::string text, read_file(file));
  return parse_rt_rules(text, file.string());
}

Result<CheckedFiles> read_subject(const CheckInputs& inputs) {
  if (inputs.of_files()) return read_check_files(inputs);
  std::error_code ec;
  const HostRoot host(inputs.host);
  if (!std::filesystem::is_directory(host.path("proc"), ec)) {
    return Error(Errc::kIo, inputs.host + ": has no proc directory: not a captured machine");
  }
  const bool here = inputs.host == "/";
  return CheckedFiles{read_machine(host),
                      {here ? "This machine" : "The machine captured in " + inputs.host}};
}

Result<int> check(const CheckOptions& options) {
  const CheckInputs& inputs = options.inputs;
  RTSWEEP_TRY(const RuleTable table, read_rules());
  RTSWEEP_TRY(CheckedFiles subject, read_subject(inputs));
  SystemView view = std::move(subject.view);
  if (!inputs.arch.empty()) view.arch = known_arch(inputs.arch);
  if (!inputs.kernel_version.empty()) view.kernel_version = inputs.kernel_version;
  view = completed(std::move(view));
  const CheckResult result = check_system(table, view);
  if (options.json) {
    // A foreign log may hold bytes that are not UTF-8.
    std::cout
        << check_json(result, view).dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
        << "\n";
  } else {
    const bool colours = ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
    std::cout << check_text(
        result, view, subject.subject,
        {.width = output_width(), .verbose = options.verbose, .colours = colours});
  }
  return result.invalid() ? kInvalidResult : kWithinLimits;
}

std::string check_arch(const std::string& name) {
  return known_arch(name).empty() ? "unknown architecture " + name : std::string();
}

std::string check_version(const std::string& version) {
  return version_numbers(version).empty() ? "not a kernel version: " + version : std::string();
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "check", "What on this machine, or in the files of another, would spoil a measurement");
  const auto options = std::make_shared<CheckOptions>();
  CheckInputs& inputs = options->inputs;
  command->add_option("--kernel-config", inputs.kernel_config, "a .config, defconfig or fragment");
  command->add_option("--config-kind", inputs.config_kind, "what it is, where that is told wrongly")
      ->check(CLI::IsMember({"full", "defconfig", "fragment"}));
  command->add_option("--cmdline", inputs.cmdline, "a file with a kernel command line");
  command->add_option("--dmesg", inputs.dmesg, "a kernel log: dmesg, boot log, serial console");
  command->add_option(
      "--report", inputs.reports,
      "what was pasted about a machine: vcgencmd get_throttled, sbc-bench, lscpu, "
      "numactl -H, numastat, /proc/interrupts, rpi-eeprom-config; can be given again");
  command->add_option("--arch", inputs.arch, "where the files do not tell it: arm64, x86_64, ...")
      ->check(check_arch);
  command->add_option("--kernel-version", inputs.kernel_version, "where the files do not tell it")
      ->check(check_version);
  command->add_option("--host", inputs.host,
                      "a captured machine: a directory with its proc and sys");
  command->add_flag("-v,--verbose", options->verbose, "also list the rules that cannot be judged");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] {
    const auto done = check(*options);
    exit_code = done ? *done : fail(done.error());
  });
}

}  // namespace rtsweep
