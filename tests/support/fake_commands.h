// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <map>
#include <string>
#include <vector>

#include "runner/base/command.h"

namespace rtsweep::testing {

// Answers commands by program name, and keeps what was asked.
class FakeCommands : public CommandRunner {
 public:
  FakeCommands& fails(const std::string& program, const std::string& with) {
    failures_[program] = with;
    return *this;
  }

  Result<std::string> run(const std::vector<std::string>& argv) override {
    ran.push_back(argv);
    const auto it = failures_.find(argv.front());
    if (it != failures_.end()) return Error(Errc::kChildFailed, it->second);
    return std::string();
  }

  std::vector<std::vector<std::string>> ran;

 private:
  std::map<std::string, std::string> failures_;
};

}  // namespace rtsweep::testing
