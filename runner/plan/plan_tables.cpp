// SPDX-License-Identifier: GPL-2.0-or-later

// [loads.NAME] and [kernels.NAME], and lists of CPUs.

#include <fmt/format.h>

#include <algorithm>

#include "loads/load.h"
#include "runner/plan/factors.h"
#include "runner/plan/index_list.h"
#include "runner/plan/plan_sections.h"
#include "runner/plan/words.h"

namespace rtsweep {
namespace {

constexpr int kHighestCpu = 4095;

const std::vector<std::string> kKernelKeys = {"arch", "image", "modules", "config"};

void read_cpus(PlanReader& reader, const toml::node& node, std::vector<int>& into) {
  const auto text = reader.text("cpus", node);
  if (!text) return;
  auto cpus = parse_index_list(*text, kHighestCpu);
  if (cpus) {
    into = *std::move(cpus);
  } else {
    reader.refuse(node.source(), "cpus: " + cpus.error().message());
  }
}

std::vector<std::string> keys_of(const Load& load) {
  std::vector<std::string> keys = {"cpus", "floor_per_s"};
  for (const LoadOption& option : load.options) keys.emplace_back(option.name);
  return keys;
}

void read_load_key(PlanReader& reader, const Load& load, const toml::key& key,
                   const toml::node& node, LoadSettings& settings) {
  const std::string name(key.str());
  if (name == "cpus") return read_cpus(reader, node, settings.cpus);
  if (name == "floor_per_s") {
    settings.floor_per_s = reader.number(name, node);
  } else if (std::ranges::find(load.options, name, &LoadOption::name) == load.options.end()) {
    reader.refuse(key.source(),
                  unknown_word(fmt::format("option of load {}", load.name), name, keys_of(load)));
  } else if (auto text = reader.value_text(name, node)) {
    settings.options[name] = *std::move(text);
  }
}

void read_kernel_key(PlanReader& reader, const std::string& key, const toml::node& node,
                     KernelByPath& kernel) {
  if (key == "arch") {
    kernel.arch = reader.word(key, node, known_arches()).value_or("");
    return;
  }
  const auto text = reader.text(key, node);
  if (!text) return;
  if (text->empty()) return reader.refuse(node.source(), fmt::format("{} is empty", key));
  const auto path = (reader.file().parent_path() / *text).lexically_normal();
  if (key == "image") kernel.image = path;
  if (key == "modules") kernel.modules = path;
  if (key == "config") kernel.config = path;
}

void read_kernel(PlanReader& reader, const toml::key& name, const toml::table& table, Plan& plan) {
  KernelByPath kernel;
  for (const auto& [key, node] : table) {
    if (std::ranges::find(kKernelKeys, key.str()) == kKernelKeys.end()) {
      reader.refuse(key.source(), unknown_word("key of a kernel", key.str(), kKernelKeys));
    } else {
      read_kernel_key(reader, std::string(key.str()), node, kernel);
    }
  }
  for (const std::string_view needed : {"arch", "image"}) {
    if (table.contains(needed)) continue;
    reader.refuse(name.source(),
                  fmt::format("kernel {} needs its {}", shown_word(name.str()), needed));
  }
  plan.kernels[std::string(name.str())] = std::move(kernel);
}

}  // namespace

void read_measured_cpus(PlanReader& reader, const toml::node& node, Plan& plan) {
  read_cpus(reader, node, plan.cpus);
}

void read_loads(PlanReader& reader, const toml::node& node, Plan& plan) {
  const toml::table* loads = reader.table("loads", node);
  if (loads == nullptr) return;
  for (const auto& [name, entry] : *loads) {
    const Load* load = builtin_loads().find(name.str());
    if (load == nullptr) {
      reader.refuse(name.source(), unknown_word("load", name.str(), builtin_loads().names()));
      continue;
    }
    const toml::table* table = reader.table(fmt::format("loads.{}", name.str()), entry);
    if (table == nullptr) continue;
    LoadSettings& settings = plan.loads[std::string(name.str())];
    for (const auto& [key, value] : *table) read_load_key(reader, *load, key, value, settings);
  }
}

void read_kernels(PlanReader& reader, const toml::node& node, Plan& plan) {
  const toml::table* kernels = reader.table("kernels", node);
  if (kernels == nullptr) return;
  for (const auto& [name, entry] : *kernels) {
    if (const auto* table =
            reader.table(fmt::format("kernels.{}", shown_word(name.str())), entry)) {
      read_kernel(reader, name, *table, plan);
    }
  }
}

std::vector<PlanKeyName> kernel_key_names() {
  std::vector<PlanKeyName> names;
  for (const std::string& key : kKernelKeys) names.push_back({"[kernels.NAME]", key, ""});
  return names;
}

std::vector<PlanKeyName> load_key_names() {
  return {{"[loads.NAME]", "cpus", ""}, {"[loads.NAME]", "floor_per_s", ""}};
}

}  // namespace rtsweep
