// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep list loads|probes|targets|factors: what a plan can name, from the registries.

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "loads/load.h"
#include "runner/cli/commands.h"
#include "runner/cli/terminal.h"
#include "runner/measure/probe.h"
#include "runner/plan/factors.h"
#include "runner/plan/text_layout.h"

namespace rtsweep {
namespace {

// A list as JSON, and as lines for people.
struct Listing {
  nlohmann::json json = nlohmann::json::array();
  std::string text;

  // A name, and below it what is said of it.
  void add(std::string_view name, const std::vector<std::string>& said) {
    text += fmt::format("{}\n", name);
    for (const std::string& line : said) text += wrapped(line, 4, output_width());
  }
};

nlohmann::json json_of(const LoadOption& option) {
  return {{"name", option.name}, {"default", option.fallback}, {"help", option.help}};
}

nlohmann::json json_of(const Load& load) {
  nlohmann::json options = nlohmann::json::array();
  for (const LoadOption& option : load.options) options.push_back(json_of(option));
  return {{"name", load.name},
          {"exercises", load.exercises},
          {"programs", load.programs},
          {"unit", load.unit},
          {"floor_per_s", load.floor_per_s},
          {"options", options},
          {"guest_packages", load.guest.packages}};
}

std::vector<std::string> said_of(const Load& load) {
  std::vector<std::string> said = {std::string(load.exercises)};
  if (!load.unit.empty()) {
    said.push_back(fmt::format("work: {}, at least {:g} a second", load.unit, load.floor_per_s));
  }
  for (const LoadOption& option : load.options) {
    said.push_back(option.fallback.empty()
                       ? fmt::format("{}: {}", option.name, option.help)
                       : fmt::format("{} = {}: {}", option.name, option.fallback, option.help));
  }
  return said;
}

Listing list_loads() {
  Listing list;
  for (const std::string& name : builtin_loads().names()) {
    const Load& load = *builtin_loads().find(name);
    list.json.push_back(json_of(load));
    list.add(name, said_of(load));
  }
  return list;
}

Listing list_probes() {
  Listing list;
  for (const ProbeKind& probe : probe_kinds()) {
    list.json.push_back(
        {{"name", probe.name}, {"measures", probe.measures}, {"program", probe.program}});
    list.add(probe.name, {std::string(probe.measures)});
  }
  return list;
}

Listing list_targets() {
  Listing list;
  for (const TargetKind& target : target_kinds()) {
    list.json.push_back({{"name", target.name}, {"measures_on", target.measures_on}});
    list.add(target.name, {std::string(target.measures_on)});
  }
  return list;
}

Listing list_factors() {
  Listing list;
  for (const FactorKind& factor : factor_kinds()) {
    list.json.push_back({{"name", factor.name},
                         {"varies", factor.varies},
                         {"levels", factor.levels},
                         {"default", factor.fallback},
                         {"read_back", factor.read_back}});
    list.add(factor.name, {std::string(factor.varies), fmt::format("levels: {}", factor.levels),
                           fmt::format("proved by: {}", factor.read_back)});
  }
  return list;
}

Listing list_of(std::string_view what) {
  if (what == "loads") return list_loads();
  if (what == "probes") return list_probes();
  if (what == "targets") return list_targets();
  return list_factors();
}

}  // namespace

void add_list_command(CLI::App& app, int& exit_code) {
  struct Options {
    std::string what;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("list", "Show what a plan can name");
  command->add_option("what", options->what, "loads, probes, targets or factors")
      ->required()
      ->check(CLI::IsMember({"loads", "probes", "targets", "factors"}));
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &exit_code] {
    const Listing list = list_of(options->what);
    std::cout << (options->json ? list.json.dump(2) + "\n" : list.text);
    exit_code = kWithinLimits;
  });
}

}  // namespace rtsweep
