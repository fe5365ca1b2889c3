// SPDX-License-Identifier: GPL-2.0-or-later

// [tuning].

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "runner/plan/plan_sections.h"
#include "runner/plan/tuning_keys.h"
#include "runner/plan/words.h"

namespace rtsweep {
namespace {

void read_single(PlanReader& reader, const TuningKey& key, const toml::node& node, Plan& plan) {
  const auto text = reader.value_text(key.name, node);
  if (!text) return;
  if (const auto refusal = key.set(plan.tuning, *text)) {
    reader.refuse(node.source(), fmt::format("{}: {}", key.name, *refusal));
  }
}

bool names_a_unit(std::string_view text) {
  return !text.empty() && text.size() < 256 && text.front() != '-' &&
         std::ranges::all_of(text, [](unsigned char c) {
           return std::isalnum(c) != 0 ||
                  std::string_view(":-_.@\\").find(char(c)) != std::string_view::npos;
         });
}

// "irqbalance" is irqbalance.service, as with systemctl.
void read_services(PlanReader& reader, const toml::node& node, Plan& plan) {
  for (auto& [name, where] : reader.texts("stop_services", node)) {
    if (!names_a_unit(name)) {
      reader.refuse(where,
                    fmt::format("stop_services: {} is no name of a service", shown_word(name)));
      continue;
    }
    if (name.find('.') == std::string::npos) name += ".service";
    auto& units = plan.tuning.stop_services;
    if (std::ranges::find(units, name) == units.end()) units.push_back(name);
  }
}

void read_devfreq(PlanReader& reader, const toml::node& node, Plan& plan) {
  const toml::table* table = reader.table("tuning.devfreq_khz", node);
  if (table == nullptr) return;
  for (const auto& [key, value] : *table) {
    if (key.str().find('/') != std::string_view::npos || key.str().starts_with('.')) {
      reader.refuse(key.source(), fmt::format("{} is no name of a device", shown_word(key.str())));
    } else if (const auto khz = reader.integer(key.str(), value, {1, 100'000'000})) {
      plan.tuning.devfreq_khz[std::string(key.str())] = *khz;
    }
  }
}

using Values = std::map<std::string, std::string>;
using Check = std::optional<std::string> (*)(std::string_view name);

// sysctl names have dots, which TOML takes for tables where they are not quoted.
void read_values(PlanReader& reader, const toml::table& table, const std::string& above,
                 Check refuse, Values& values) {
  for (const auto& [key, value] : table) {
    const std::string name = above + std::string(key.str());
    if (const auto* inner = value.as_table()) {
      read_values(reader, *inner, name + ".", refuse, values);
      continue;
    }
    if (const auto refusal = refuse(name)) {
      reader.refuse(key.source(), fmt::format("{}: {}", shown_word(name), *refusal));
      continue;
    }
    auto text = reader.value_text(name, value);
    if (!text) continue;
    if (text->empty()) {
      reader.refuse(value.source(), fmt::format("{}: the value is empty", shown_word(name)));
    }
    values[name] = *std::move(text);
  }
}

void read_value_table(PlanReader& reader, std::string_view key, const toml::node& node,
                      Check refuse, Values& values) {
  const auto* table = reader.table(fmt::format("tuning.{}", key), node);
  if (table != nullptr) read_values(reader, *table, "", refuse, values);
}

void read_key(PlanReader& reader, const toml::key& key, const toml::node& node, Plan& plan) {
  const std::string_view name = key.str();
  if (const TuningKey* single = find_tuning_key(name)) {
    return read_single(reader, *single, node, plan);
  }
  if (name == "stop_services") return read_services(reader, node, plan);
  if (name == "devfreq_khz") return read_devfreq(reader, node, plan);
  if (name == "sysfs") {
    return read_value_table(reader, name, node, refuse_sysfs_path, plan.tuning.sysfs);
  }
  if (name == "sysctl") {
    return read_value_table(reader, name, node, refuse_sysctl_name, plan.tuning.sysctl);
  }
  reader.refuse(key.source(), unknown_word("key in [tuning]", name, tuning_key_names()));
}

}  // namespace

void read_tuning(PlanReader& reader, const toml::node& node, Plan& plan) {
  const toml::table* table = reader.table("tuning", node);
  if (table == nullptr) return;
  for (const auto& [key, value] : in_file_order(*table)) read_key(reader, *key, *value, plan);
}

}  // namespace rtsweep
