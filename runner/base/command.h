// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

// Runs short commands to their end. The one way out to other programs for code
// that only needs an answer; what must be watched while it runs is a ChildProcess.
class CommandRunner {
 public:
  virtual ~CommandRunner() = default;

  // The command's standard output; kChildFailed with its standard error otherwise.
  virtual Result<std::string> run(const std::vector<std::string>& argv) = 0;
};

// Runs them for real, with standard input empty.
class SystemCommands : public CommandRunner {
 public:
  Result<std::string> run(const std::vector<std::string>& argv) override;
};

}  // namespace rtsweep
