// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/cli/plan_facts.h"

#include <algorithm>

#include "runner/base/files.h"
#include "runner/cli/run_session.h"
#include "runner/kernels/cache.h"
#include "runner/kernels/kernel_store.h"
#include "runner/plan/kernel_names.h"
#include "runner/plan/plan_host.h"

namespace rtsweep {
namespace {

using Configs = std::map<std::pair<std::string, std::string>, std::string>;

bool names_kernel(const Plan& plan, const std::string& name) {
  return std::ranges::any_of(plan.factors, [&name](const Factor& factor) {
    return factor.name == "kernel" && std::ranges::find(factor.levels, name) != factor.levels.end();
  });
}

// A kernel that cannot be found in the cache has no .config yet: that is no error.
Configs cached_configs(const Plan& plan, const std::vector<KernelEntry>& known) {
  Configs configs;
  const auto place = Cache::place();
  // Opening creates it, and to look at a plan shall change nothing.
  std::error_code ec;
  if (!place || !std::filesystem::exists(*place, ec)) return configs;
  const auto cache = Cache::open_at(*place);
  if (!cache) return configs;
  SystemCommands commands;
  for (const KernelEntry& entry : known) {
    if (!names_kernel(plan, entry.name)) continue;
    const auto kernel = cached_kernel(*cache, commands, entry);
    if (!kernel || kernel->config.empty()) continue;
    if (auto text = read_file(kernel->config)) {
      configs[{entry.name, entry.arch}] = *std::move(text);
    }
  }
  return configs;
}

}  // namespace

Result<std::pair<Plan, std::vector<KernelEntry>>> read_plan_file(
    const std::filesystem::path& file) {
  RTSWEEP_TRY(const std::string text, read_file(file));
  RTSWEEP_TRY(Plan plan, parse_plan(text, file));
  RTSWEEP_TRY(std::vector<KernelEntry> known, read_kernels());
  RTSWEEP_CHECK_OK(check_kernels(plan, known));
  return std::pair(std::move(plan), std::move(known));
}

PlanHost facts_for(const Plan& plan, const std::vector<KernelEntry>& known) {
  return this_host(HostRoot(), plan,
                   {.arch = std::string(host_architecture()),
                    .search_path = environment("PATH").value_or(""),
                    .guests = guests_directory(),
                    .kernels = known,
                    .configs = cached_configs(plan, known)});
}

}  // namespace rtsweep
