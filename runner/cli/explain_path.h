// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace rtsweep {

struct PathCommand {
  std::filesystem::path directory;
  std::optional<int> trial;  // empty: the one with the worst maximum
  size_t worst = 1;
  std::string what_if;          // a kernel parameter; empty: no
  std::filesystem::path flame;  // SVG of the worst wakeup; empty: none
  bool json = false;
};

// Whether explain without --method goes by the path: a run in virtual time, without a trace of
// the trial (or of any, when none is named).
bool explains_by_path(const std::filesystem::path& directory, std::optional<int> trial);

// rtsweep explain --method path: prints what was found; returns the exit code.
int explain_by_path(const PathCommand& command);

}  // namespace rtsweep
