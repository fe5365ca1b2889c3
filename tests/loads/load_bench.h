// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <map>
#include <string>
#include <vector>

#include "loads/load.h"
#include "runner/base/text.h"
#include "tests/support/fake_host.h"

namespace rtsweep::testing {

// A built-in load on a fake host, with options as a plan would set them.
class LoadBench {
 public:
  explicit LoadBench(std::string_view name) : load_(*builtin_loads().find(name)) {
    for (const LoadOption& option : load_.options) {
      options_[std::string(option.name)] = std::string(option.fallback);
    }
    host_.file("proc/meminfo", "MemTotal:        2039736 kB\nMemFree:         1800000 kB\n");
  }

  LoadBench& set(const std::string& option, const std::string& value) {
    options_[option] = value;
    return *this;
  }

  LoadBench& cpus(std::vector<int> cpus) {
    cpus_ = std::move(cpus);
    return *this;
  }

  LoadBench& file(std::string_view name, std::string_view content) {
    host_.file(name, content);
    return *this;
  }

  Result<std::vector<std::string>> arguments() const {
    const HostRoot root = host_.root();
    return load_.arguments({.host = root,
                            .cpus = cpus_,
                            .scratch = "/run/load",
                            .options = options_,
                            .machine = "aarch64"});
  }

  // The command line as a shell would take it, or the error.
  std::string command_line() const {
    const auto argv = arguments();
    return argv ? shell_quote(*argv) : "error: " + argv.error().message();
  }

  // The counter of a load that runs as process group 300.
  Result<uint64_t> work() const {
    const HostRoot root = host_.root();
    return load_.work({.host = root,
                       .group = 300,
                       .log = "load.log",
                       .scratch = root.path("scratch"),
                       .options = options_});
  }

  const Load& load() const { return load_; }

 private:
  const Load& load_;
  FakeHost host_;
  std::vector<int> cpus_ = {0};
  std::map<std::string, std::string> options_;
};

}  // namespace rtsweep::testing
