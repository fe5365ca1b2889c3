// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/cyclictest_output.h"
#include "runner/base/files.h"

namespace rtsweep::testing {

// The file's text; a missing one fails the test.
inline std::string text_of(const std::filesystem::path& file) {
  auto text = read_file(file);
  if (text) return std::move(text).value();
  ADD_FAILURE() << text.error().message();
  return {};
}

// The runs in the file; none, with a failure of the test, when it cannot be read.
inline std::vector<CyclictestRun> runs_in(const std::filesystem::path& file) {
  auto runs = parse_cyclictest(text_of(file), file.filename().string());
  if (runs) return std::move(runs).value();
  ADD_FAILURE() << runs.error().message();
  return {};
}

inline std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(RTSWEEP_SOURCE_DIR) / "tests/golden/cyclictest" / name;
}

}  // namespace rtsweep::testing
