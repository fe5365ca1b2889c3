// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/plan_host.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "loads/load.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/host/cpu_list.h"
#include "runner/host/facts.h"
#include "runner/plan/factors.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kCapSysNice = 23;

// The word after "name" at the start of a line.
std::string field(const HostRoot& host, std::string_view file, std::string_view name) {
  const auto text = host.read(file);
  if (!text) return {};
  for (const std::string& line : split(*text, '\n')) {
    if (!line.starts_with(name)) continue;
    const auto rest = words(std::string_view(line).substr(name.size()));
    return rest.empty() ? "" : rest.front();
  }
  return {};
}

bool may_set_any_priority(const HostRoot& host) {
  const std::string caps = field(host, "proc/self/status", "CapEff:");
  uint64_t bits = 0;
  std::from_chars(caps.data(), caps.data() + caps.size(), bits, 16);
  return (bits >> kCapSysNice & 1) != 0;
}

int highest_rt_priority(const HostRoot& host) {
  if (may_set_any_priority(host)) return 99;
  const std::string limit = field(host, "proc/self/limits", "Max realtime priority");
  if (limit == "unlimited") return 99;
  int priority = 0;
  std::from_chars(limit.data(), limit.data() + limit.size(), priority);
  return std::clamp(priority, 0, 99);
}

// A device tree string ends with a NUL.
std::string board_model(const HostRoot& host) {
  const auto model = host.read("proc/device-tree/model");
  return model ? model->substr(0, model->find('\0')) : "";
}

std::vector<int> memory_nodes(const HostRoot& host) {
  const auto text = host.read("sys/devices/system/node/online");
  const auto nodes = text ? parse_cpu_list(*text) : Error(Errc::kIo, "");
  return nodes ? *nodes : std::vector<int>();
}

bool in_path(const std::string& program, const std::string& search_path) {
  return std::ranges::any_of(split(search_path, ':'), [&program](const std::string& directory) {
    const fs::path file = fs::path(directory) / program;
    return !directory.empty() && ::access(file.c_str(), X_OK) == 0;
  });
}

std::set<std::string> found_programs(const Plan& plan, const std::string& search_path) {
  std::set<std::string> found;
  for (const PlannedTrial& trial : order_trials(plan)) {
    for (const NeededProgram& program : needed_programs(plan, trial.cell)) {
      if (!found.contains(program.name) && in_path(program.name, search_path)) {
        found.insert(program.name);
      }
    }
  }
  return found;
}

std::set<std::string> built_guests(const fs::path& directory) {
  std::set<std::string> built;
  for (const std::string& arch : known_arches()) {
    const fs::path program = directory / arch / "rtsweep-guest";
    if (::access(program.c_str(), X_OK) == 0) built.insert(arch);
  }
  return built;
}

std::set<fs::path> missing_files(const Plan& plan) {
  std::set<fs::path> missing;
  for (const auto& [name, kernel] : plan.kernels) {
    for (const auto& file : {kernel.image, kernel.modules, kernel.config}) {
      std::error_code ec;
      if (!file.empty() && !fs::exists(file, ec)) missing.insert(file);
    }
  }
  return missing;
}

// What the load itself says to the options that the plan gives it. A VM's files are
// not ours: there, only what is wrong on any machine counts.
std::optional<std::string> load_refusal(const HostRoot& host, const Plan& plan, const Load& load) {
  const auto settings = plan.loads.find(std::string(load.name));
  std::map<std::string, std::string> options;
  for (const LoadOption& option : load.options) {
    options[std::string(option.name)] = std::string(option.fallback);
  }
  if (settings != plan.loads.end()) {
    for (const auto& [name, value] : settings->second.options) options[name] = value;
  }
  const bool names_file = std::ranges::any_of(
      options, [](const auto& option) { return option.second.starts_with('/'); });
  if (plan.target == "vm" && names_file) return std::nullopt;
  const auto argv = load.arguments({.host = host,
                                    .cpus = {0},
                                    .scratch = "/nonexistent",
                                    .options = options,
                                    .machine = read_facts(host).machine});
  if (argv || (plan.target == "vm" && argv.error().code() != Errc::kInvalidPlan)) {
    return std::nullopt;
  }
  return argv.error().message();
}

std::map<std::string, std::string> load_refusals(const HostRoot& host, const Plan& plan) {
  std::map<std::string, std::string> refusals;
  for (const Factor& factor : plan.factors) {
    if (factor.name != "load") continue;
    for (const std::string& level : factor.levels) {
      for (const std::string& name : split(level, '+')) {
        const Load* load = builtin_loads().find(name);
        const auto refusal = load == nullptr ? std::nullopt : load_refusal(host, plan, *load);
        if (refusal) refusals[name] = *refusal;
      }
    }
  }
  return refusals;
}

// A kernel by path brings its own .config.
void add_own_configs(const Plan& plan, PlanHost& facts) {
  for (const auto& [name, kernel] : plan.kernels) {
    if (kernel.config.empty()) continue;
    const auto text = read_file(kernel.config);
    if (text) facts.configs[{name, kernel.arch}] = *text;
  }
}

}  // namespace

PlanHost this_host(const HostRoot& host, const Plan& plan, const HostSources& sources) {
  const auto cpus = online_cpus(host);
  PlanHost facts{
      .arch = sources.arch,
      .kernel_bits = read_facts(host).machine.ends_with("64") ? 64 : 32,
      .board = board_model(host),
      .nodes = memory_nodes(host),
      .highest_rt_priority = highest_rt_priority(host),
      .cpus = cpus && !cpus->empty() ? static_cast<int>(cpus->size()) : 1,
      .kernels = sources.kernels,
      .programs = found_programs(plan, sources.search_path),
      .guests = built_guests(sources.guests),
      .missing_files = missing_files(plan),
      .load_refusals = load_refusals(host, plan),
      .configs = sources.configs,
  };
  add_own_configs(plan, facts);
  return facts;
}

}  // namespace rtsweep
