// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/kernel_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/plan/plan_reader.h"
#include "runner/plan/words.h"

namespace rtsweep {
namespace {

// Names that a plan's factor "kernel" can have, each once.
std::vector<std::string> nameable(const Plan& plan, std::span<const KernelEntry> known) {
  std::vector<std::string> names;
  for (const KernelEntry& entry : known) names.push_back(entry.name);
  for (const auto& [name, kernel] : plan.kernels) names.push_back(name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

const KernelEntry* find_entry(std::string_view name, std::span<const KernelEntry> known) {
  const auto found = std::ranges::find(known, name, &KernelEntry::name);
  return found == known.end() ? nullptr : &*found;
}

void check_level(PlanReader& reader, const PlanReader::Item& level, const Plan& plan,
                 std::span<const KernelEntry> known) {
  const KernelEntry* entry = find_entry(level.text, known);
  if (entry == nullptr && !plan.kernels.contains(level.text)) {
    reader.refuse(level.where, unknown_word("kernel", level.text, nameable(plan, known)));
  } else if (entry != nullptr && plan.expect_rt && !entry->rt) {
    reader.refuse(level.where,
                  fmt::format("kernel {} is not PREEMPT_RT, and this plan expects RT: set "
                              "expect_rt = false in [measure] to measure it on purpose",
                              shown_word(level.text)));
  }
}

void check_own_names(PlanReader& reader, const toml::table& root,
                     std::span<const KernelEntry> known) {
  const toml::table* kernels = root["kernels"].as_table();
  if (kernels == nullptr) return;
  for (const auto& [name, node] : *kernels) {
    if (find_entry(name.str(), known) == nullptr) continue;
    reader.refuse(name.source(),
                  fmt::format("{} is a kernel of kernels.toml; give your own kernel another name",
                              shown_word(name.str())));
  }
}

}  // namespace

Result<void> check_kernels(const Plan& plan, std::span<const KernelEntry> known) {
  // The text is read once more for the places of the names.
  PlanReader reader(plan.file);
  const auto root = reader.parse(plan.text);
  if (!root) return reader.error();
  check_own_names(reader, *root, known);
  if (const toml::node* levels = root->at_path("factors.kernel").node()) {
    for (const auto& level : reader.texts("kernel", *levels)) {
      check_level(reader, level, plan, known);
    }
  }
  if (!reader.clean()) return reader.error();
  return {};
}

std::optional<bool> expected_rt(const Plan& plan, const Cell& cell,
                                std::span<const KernelEntry> known) {
  if (plan.expect_rt) return true;
  const std::string kernel = level_of(cell, "kernel");
  if (plan.kernels.contains(kernel)) return std::nullopt;
  const KernelEntry* entry = find_entry(kernel, known);
  if (entry == nullptr) return std::nullopt;
  return entry->rt;
}

std::vector<std::string> published_arches(std::string_view kernel,
                                          std::span<const KernelEntry> known) {
  std::vector<std::string> arches;
  for (const KernelEntry& entry : known) {
    if (entry.name == kernel) arches.push_back(entry.arch);
  }
  return arches;
}

}  // namespace rtsweep
