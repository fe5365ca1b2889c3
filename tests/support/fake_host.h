// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "runner/host/host_root.h"

namespace rtsweep::testing {

// A HostRoot in a temporary directory, holding only the files that a test puts
// there. Removed with the object.
class FakeHost {
 public:
  FakeHost() {
    std::string dir = (std::filesystem::temp_directory_path() / "rtsweep.XXXXXX").string();
    if (::mkdtemp(dir.data()) == nullptr) std::abort();
    dir_ = dir;
  }
  ~FakeHost() { std::filesystem::remove_all(dir_); }
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  FakeHost& file(std::string_view name, std::string_view content) {
    const auto path = dir_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
    return *this;
  }

  HostRoot root() const { return HostRoot(dir_); }

 private:
  std::filesystem::path dir_;
};

}  // namespace rtsweep::testing
