// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/system_view.h"
#include "runner/base/result.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// What `rtsweep check` is to look at. Without any file: the machine under `host`.
struct CheckInputs {
  std::string host = "/";
  std::optional<std::string> kernel_config;
  std::optional<std::string> config_kind;
  std::optional<std::string> cmdline;
  std::optional<std::string> dmesg;
  std::vector<std::string> reports;
  std::string arch;
  std::string kernel_version;

  bool of_files() const { return kernel_config || cmdline || dmesg || !reports.empty(); }
};

// A machine: what /proc and /sys say, its kernel's config (/proc/config.gz, else
// /boot/config-RELEASE), its log. What cannot be read is left unknown.
SystemView read_machine(const HostRoot& host);

struct CheckedFiles {
  SystemView view;
  std::vector<std::string> subject;  // "Kernel log boot.txt", a line for each file
};

// Files of another machine, or of a kernel for one. Errors name the file, and the line where
// a text is not what it should be. "-" is standard input.
Result<CheckedFiles> read_check_files(const CheckInputs& inputs);

}  // namespace rtsweep
