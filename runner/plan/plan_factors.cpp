// SPDX-License-Identifier: GPL-2.0-or-later

// [factors] and [[exclude]].

#include <fmt/format.h>

#include <algorithm>

#include "runner/plan/factors.h"
#include "runner/plan/plan_sections.h"
#include "runner/plan/words.h"

namespace rtsweep {
namespace {

constexpr size_t kMostLevels = 1000;

void read_levels(PlanReader& reader, const FactorKind& kind, const toml::node& node,
                 Factor& factor) {
  const auto items = reader.texts(kind.name, node);
  for (const auto& [level, where] : items) {
    if (const auto refusal = refuse_level(kind, level)) {
      reader.refuse(where, *refusal);
    } else if (std::ranges::find(factor.levels, level) != factor.levels.end()) {
      reader.refuse(where, fmt::format("{} {} stands twice", kind.name, shown_word(level)));
    } else {
      factor.levels.push_back(level);
    }
  }
  if (node.is_array() && node.as_array()->empty()) {
    reader.refuse(node.source(), fmt::format("factor \"{}\" has no level", kind.name));
  }
  if (factor.levels.size() > kMostLevels) {
    reader.refuse(node.source(),
                  fmt::format("factor \"{}\" has more than {} levels", kind.name, kMostLevels));
  }
}

struct FactorEntry {
  std::string name;
  const toml::key* key;
  const toml::node* node;
};

// The entries of a table of factors. TOML takes the dot of tuning.governor for a table.
std::vector<FactorEntry> factor_entries(const toml::table& table) {
  std::vector<FactorEntry> entries;
  for (const auto& [key, node] : in_file_order(table)) {
    const toml::table* inner = key->str() == "tuning" ? node->as_table() : nullptr;
    if (inner == nullptr) {
      entries.push_back({std::string(key->str()), key, node});
      continue;
    }
    for (const auto& [inner_key, value] : in_file_order(*inner)) {
      entries.push_back({fmt::format("tuning.{}", inner_key->str()), inner_key, value});
    }
  }
  return entries;
}

const Factor* find_factor(const Plan& plan, std::string_view name) {
  const auto found = std::ranges::find(plan.factors, name, &Factor::name);
  return found == plan.factors.end() ? nullptr : &*found;
}

std::vector<std::string> names_in_plan(const Plan& plan) {
  std::vector<std::string> names;
  for (const Factor& factor : plan.factors) names.push_back(factor.name);
  return names;
}

// The levels of one factor that an exclude names; all of them must exist.
std::vector<std::string> excluded_levels(PlanReader& reader, const Factor& factor,
                                         const toml::node& node) {
  std::vector<std::string> levels;
  for (const auto& [level, where] : reader.texts(factor.name, node)) {
    if (std::ranges::find(factor.levels, level) == factor.levels.end()) {
      reader.refuse(where,
                    unknown_word(fmt::format("level of {}", factor.name), level, factor.levels));
    } else {
      levels.push_back(level);
    }
  }
  return levels;
}

// Every cell of `cells` with every one of the levels.
std::vector<Cell> crossed(const std::vector<Cell>& cells, const std::string& factor,
                          const std::vector<std::string>& levels) {
  std::vector<Cell> product;
  for (const Cell& cell : cells) {
    for (const std::string& level : levels) {
      product.push_back(cell);
      product.back()[factor] = level;
    }
  }
  return product;
}

void read_one_exclude(PlanReader& reader, const toml::table& table, Plan& plan) {
  if (table.empty()) {
    reader.refuse(table.source(), "an [[exclude]] without a level would leave out everything");
    return;
  }
  std::vector<Cell> cells = {{}};
  for (const auto& [name, key, node] : factor_entries(table)) {
    const Factor* factor = find_factor(plan, name);
    if (factor == nullptr) {
      reader.refuse(key->source(),
                    unknown_word("factor", name, names_in_plan(plan)) + " (of this plan)");
      continue;
    }
    cells = crossed(cells, factor->name, excluded_levels(reader, *factor, *node));
    if (cells.size() > kMostLevels) {
      reader.refuse(key->source(), "this [[exclude]] stands for too many cells");
      return;
    }
  }
  std::ranges::move(cells, std::back_inserter(plan.exclude));
}

}  // namespace

void read_factors(PlanReader& reader, const toml::node& node, Plan& plan) {
  const toml::table* table = reader.table("factors", node);
  if (table == nullptr) return;
  for (const auto& [name, key, levels] : factor_entries(*table)) {
    const FactorKind* kind = find_factor_kind(name);
    if (kind == nullptr) {
      reader.refuse(key->source(), unknown_word("factor", name, factor_names()));
      continue;
    }
    Factor factor{.name = std::string(kind->name)};
    read_levels(reader, *kind, *levels, factor);
    plan.factors.push_back(std::move(factor));
  }
}

void read_exclude(PlanReader& reader, const toml::node& node, Plan& plan) {
  const toml::array* array = node.as_array();
  if (array == nullptr) {
    reader.wrong_type("exclude", node, "an array of tables: [[exclude]]");
    return;
  }
  for (const toml::node& entry : *array) {
    if (const auto* table = entry.as_table()) {
      read_one_exclude(reader, *table, plan);
    } else {
      reader.wrong_type("exclude", entry, "a table: [[exclude]]");
    }
  }
}

}  // namespace rtsweep
