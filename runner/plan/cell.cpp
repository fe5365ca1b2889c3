// SPDX-License-Identifier: GPL-2.0-or-later

#include <algorithm>
#include <tuple>

#include "runner/base/text.h"
#include "runner/plan/factors.h"
#include "runner/plan/plan.h"
#include "runner/plan/tuning_keys.h"

namespace rtsweep {

std::string level_of(const Cell& cell, std::string_view factor) {
  const auto level = cell.find(std::string(factor));
  if (level != cell.end()) return level->second;
  const FactorKind* kind = find_factor_kind(factor);
  return kind == nullptr ? "" : std::string(kind->fallback);
}

std::vector<std::string> load_names(const Cell& cell) { return split(level_of(cell, "load"), '+'); }

std::string kernel_arch(const Plan& plan, const Cell& cell) {
  const std::string arch = level_of(cell, "arch");
  if (!arch.empty()) return arch;
  const auto kernel = plan.kernels.find(level_of(cell, "kernel"));
  return kernel == plan.kernels.end() ? "" : kernel->second.arch;
}

std::string_view companion_32bit(std::string_view arch) {
  if (arch == "amd64") return "i386";
  if (arch == "arm64") return "armhf";
  return "";
}

std::string userland_arch(const Plan& plan, const Cell& cell) {
  std::string arch = kernel_arch(plan, cell);
  if (level_of(cell, "userland") == "native" || companion_32bit(arch).empty()) return arch;
  return std::string(companion_32bit(arch));
}

TuningSpec tuning_of(const Plan& plan, const Cell& cell) {
  TuningSpec spec = plan.tuning;
  for (const TuningKey& key : tuning_keys()) {
    const auto level = cell.find(std::string(key.factor));
    // An empty level leaves it as it is. What is no value was refused with the plan.
    if (level != cell.end() && !level->second.empty()) std::ignore = key.set(spec, level->second);
  }
  return spec;
}

bool tunes(const Plan& plan) {
  return !plan.tuning.empty() || std::ranges::any_of(plan.factors, [](const Factor& factor) {
    const FactorKind* kind = find_factor_kind(factor.name);
    return kind != nullptr && kind->tuning != nullptr;
  });
}

}  // namespace rtsweep
