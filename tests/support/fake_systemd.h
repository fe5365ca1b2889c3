// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <map>
#include <string>
#include <vector>

#include "runner/base/command.h"

namespace rtsweep::testing {

// A systemctl that knows some services and keeps their state.
class FakeSystemd : public CommandRunner {
 public:
  FakeSystemd& has(const std::string& unit, const std::string& state) {
    states[unit] = state;
    return *this;
  }

  Result<std::string> run(const std::vector<std::string>& argv) override {
    const std::string& verb = argv.at(1);
    const std::string& unit = argv.back();
    ran.push_back(verb + " " + unit);
    if (verb == "show") return shown(unit);
    if (verb == failing) return Error(Errc::kChildFailed, verb + " " + unit + " failed");
    if (verb == "stop") states[unit] = "inactive";
    if (verb == "start") states[unit] = "active";
    if (verb == "reset-failed") failing.clear();
    return std::string();
  }

  std::map<std::string, std::string> states;
  std::vector<std::string> ran;  // "stop irqbalance.service"
  std::string failing;           // a verb that fails, until reset-failed

 private:
  std::string shown(const std::string& unit) const {
    const auto state = states.find(unit);
    if (state == states.end()) return "LoadState=not-found\nActiveState=inactive\n";
    return "LoadState=loaded\nActiveState=" + state->second + "\n";
  }
};

}  // namespace rtsweep::testing
