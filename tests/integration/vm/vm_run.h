// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "runner/base/child_process.h"
#include "runner/base/files.h"
#include "tests/support/fake_host.h"

namespace rtsweep::testing {

// Runs of the built program on plans of a test, as a user would do them. A failure of
// the program is shown with all that it printed.
class VmRun : public ::testing::Test {
 protected:
  std::filesystem::path path(std::string_view name) const { return dir_.root().path(name); }

  ChildProcess start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), RTSWEEP_PROGRAM);
    auto child = ChildProcess::start(arguments, {.output = path("log")});
    EXPECT_TRUE(child) << child.error().message();
    return std::move(child).value();
  }

  // The exit code of "rtsweep run" on the plan.
  int run(const std::string& plan, const std::string& name) {
    dir_.file(name + ".toml", plan);
    ChildProcess child = start({"run", path(name + ".toml"), "--out", path(name)});
    return child.wait().value()->code;
  }

  nlohmann::json report(const std::string& name) {
    ChildProcess child =
        start({"report", path(name), "--format", "json", "-o", path(name + ".json")});
    EXPECT_TRUE(child.wait().value()->clean()) << log();
    return nlohmann::json::parse(read_file(path(name + ".json")).value());
  }

  std::string log() const { return read_file(path("log")).value(); }

  // The one trial whose cell has all these levels.
  static nlohmann::json trial(const nlohmann::json& report,
                              const std::map<std::string, std::string>& levels) {
    for (const auto& candidate : report.at("trials")) {
      bool matches = true;
      for (const auto& [factor, level] : levels) {
        matches &= candidate.at("cell").value(factor, "") == level;
      }
      if (matches) return candidate;
    }
    ADD_FAILURE() << "no such trial in " << report.dump(1);
    return {};
  }

  static std::vector<std::string> codes(const nlohmann::json& trial) {
    std::vector<std::string> found;
    for (const auto& reason : trial.at("reasons")) found.push_back(reason.at("code"));
    return found;
  }

  FakeHost dir_;
};

}  // namespace rtsweep::testing
