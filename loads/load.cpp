// SPDX-License-Identifier: GPL-2.0-or-later

#include "loads/load.h"

namespace rtsweep {

std::vector<std::string> LoadRegistry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, load] : loads_) names.emplace_back(name);
  return names;
}

LoadRegistry& builtin_loads() {
  static LoadRegistry registry;
  return registry;
}

}  // namespace rtsweep
