// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep kernel list|fetch: the kernels that a plan can name.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "runner/base/text.h"
#include "runner/cli/commands.h"
#include "runner/kernels/cache.h"
#include "runner/kernels/kernel_store.h"
#include "runner/kernels/kernels.h"

namespace rtsweep {
namespace {

struct KernelOptions {
  std::vector<std::string> names;
  std::vector<std::string> architectures;  // empty: the command's default
  bool update = false;
  bool json = false;
};

nlohmann::json json_of(const KernelEntry& entry, const std::optional<Kernel>& kernel) {
  nlohmann::json json = {{"name", entry.name},   {"arch", entry.arch},
                         {"suite", entry.suite}, {"package", entry.package},
                         {"rt", entry.rt},       {"fetched", kernel.has_value()}};
  if (!kernel) return json;
  json["release"] = kernel->release;
  json["version"] = kernel->package;
  json["image"] = kernel->image.string();
  json["modules"] = kernel->modules.string();
  json["config"] = kernel->config.string();
  json["system_map"] = kernel->system_map.string();
  return json;
}

bool wants_arch(const KernelOptions& options, const std::string& arch) {
  const auto& wanted = options.architectures;
  return wanted.empty() || std::ranges::find(wanted, arch) != wanted.end() ||
         std::ranges::find(wanted, "all") != wanted.end();
}

// The entries of the named kernels, or of all, for the wanted architectures.
Result<std::vector<KernelEntry>> chosen(const std::vector<KernelEntry>& entries,
                                        const KernelOptions& options) {
  std::vector<KernelEntry> found;
  for (const KernelEntry& entry : entries) {
    const bool named = options.names.empty() ||
                       std::ranges::find(options.names, entry.name) != options.names.end();
    if (named && wants_arch(options, entry.arch)) found.push_back(entry);
  }
  for (const std::string& name : options.names) {
    if (std::ranges::find(found, name, &KernelEntry::name) != found.end()) continue;
    RTSWEEP_TRY(const auto missing, find_kernel(entries, name, options.architectures.front()));
  }
  return found;
}

void print_list(const std::vector<KernelEntry>& entries,
                const std::vector<std::optional<Kernel>>& kernels) {
  std::cout << fmt::format("{:<16} {:<6} {:<3} {:<19} {:<23} {}\n", "NAME", "ARCH", "RT", "SUITE",
                           "PACKAGE", "FETCHED");
  for (size_t i = 0; i < entries.size(); ++i) {
    const KernelEntry& entry = entries[i];
    std::cout << fmt::format("{:<16} {:<6} {:<3} {:<19} {:<23} {}\n", entry.name, entry.arch,
                             entry.rt ? "yes" : "no", entry.suite, entry.package,
                             kernels[i] ? kernels[i]->release : "-");
  }
}

Result<int> list(const KernelOptions& options) {
  RTSWEEP_TRY(const auto all, read_kernels());
  RTSWEEP_TRY(const auto entries, chosen(all, options));
  RTSWEEP_TRY(const Cache cache, Cache::open());
  SystemCommands commands;
  std::vector<std::optional<Kernel>> kernels;
  nlohmann::json json = nlohmann::json::array();
  for (const KernelEntry& entry : entries) {
    kernels.push_back(cached_kernel(cache, commands, entry));
    json.push_back(json_of(entry, kernels.back()));
  }
  if (options.json) {
    std::cout << json.dump(2) << "\n";
  } else {
    print_list(entries, kernels);
  }
  return kWithinLimits;
}

// Goes on after a failure: the other kernels are of use without this one.
Result<int> fetch(const KernelOptions& options) {
  RTSWEEP_TRY(const auto all, read_kernels());
  RTSWEEP_TRY(const auto entries, chosen(all, options));
  RTSWEEP_TRY(const Cache cache, Cache::open());
  SystemCommands commands;
  const Freshness freshness = options.update ? Freshness::kNewest : Freshness::kPinned;
  int exit_code = kWithinLimits;
  nlohmann::json json = nlohmann::json::array();
  for (const KernelEntry& entry : entries) {
    const auto kernel = fetch_kernel(cache, commands, entry, freshness);
    if (!kernel) {
      exit_code = fail(kernel.error());
      continue;
    }
    json.push_back(json_of(entry, *kernel));
    if (options.json) continue;
    std::cout << fmt::format("{} {}: {} ({})\n  {}\n", entry.name, entry.arch, kernel->release,
                             kernel->package, kernel->image.string());
  }
  if (options.json) std::cout << json.dump(2) << "\n";
  return exit_code;
}

std::vector<std::string> architecture_words() {
  const auto known = known_architectures();
  std::vector<std::string> accepted(known.begin(), known.end());
  accepted.emplace_back("all");
  return accepted;
}

int exit_code_of(const Result<int>& done) { return done ? *done : fail(done.error()); }

void add_common(CLI::App& command, const std::shared_ptr<KernelOptions>& options,
                const std::string& default_architectures) {
  command
      .add_option("--arch", options->architectures,
                  "architecture, can be given again; default: " + default_architectures)
      ->check(CLI::IsMember(architecture_words()));
  command.add_flag("--json", options->json, "print JSON");
}

}  // namespace

void add_kernel_command(CLI::App& app, int& exit_code) {
  CLI::App* kernel = app.add_subcommand("kernel", "the kernels that plans can name");
  kernel->require_subcommand(1);
  const auto options = std::make_shared<KernelOptions>();

  CLI::App* list_command = kernel->add_subcommand("list", "what kernels.toml has, what is fetched");
  add_common(*list_command, options, "all");
  list_command->callback([options, &exit_code] { exit_code = exit_code_of(list(*options)); });

  CLI::App* fetch_command =
      kernel->add_subcommand("fetch", "get kernels from Debian's archive into the cache");
  fetch_command->add_option("NAME", options->names, "kernels by name; default: all there are");
  fetch_command->add_flag("--update", options->update,
                          "look for newer versions instead of keeping the fetched ones");
  add_common(*fetch_command, options, std::string(host_architecture()));
  fetch_command->callback([options, &exit_code] {
    if (options->architectures.empty()) options->architectures.emplace_back(host_architecture());
    exit_code = exit_code_of(fetch(*options));
  });
}

}  // namespace rtsweep
