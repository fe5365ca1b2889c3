// SPDX-License-Identifier: GPL-2.0-or-later

#include "loads/load.h"

namespace rtsweep {

std::string work_unit(const Load& load, const std::map<std::string, std::string>& options) {
  return load.unit_of != nullptr ? load.unit_of(options) : std::string(load.unit);
}

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
