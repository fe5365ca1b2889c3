// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "runner/base/files.h"

namespace rtsweep::testing {

// The content of every regular file below a directory, by path.
inline std::map<std::string, std::string> content_of_tree(const std::filesystem::path& root) {
  std::map<std::string, std::string> content;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    content[entry.path().lexically_relative(root)] = read_file(entry.path()).value();
  }
  return content;
}

}  // namespace rtsweep::testing
