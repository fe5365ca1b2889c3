// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace rtsweep {

// The root under which /sys, /proc and /dev are looked up.
//
// Every function that reads or writes a kernel file takes a HostRoot. It is "/"
// in the runner, and a temporary directory in tests: the code under test is the
// code that runs, and no test needs root or an RT kernel.
class HostRoot {
 public:
  explicit HostRoot(std::filesystem::path root = "/") : root_(std::move(root)) {}

  // Reads a small kernel file such as "sys/devices/system/cpu/online", without
  // its trailing newline.
  Result<std::string> read(std::string_view file) const;

  // Writes the value in a single write(2), which is how sysfs wants it.
  Result<void> write(std::string_view file, std::string_view value) const;

  std::filesystem::path path(std::string_view file) const { return root_ / file; }

 private:
  std::filesystem::path root_;
};

}  // namespace rtsweep
