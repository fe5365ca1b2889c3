// SPDX-License-Identifier: GPL-2.0-or-later

// [severity]: what the plan thinks of a reason, instead of the catalogue.

#include <fmt/format.h>

#include "analysis/reason_catalogue.h"
#include "runner/plan/plan_sections.h"
#include "runner/plan/words.h"

namespace rtsweep {
namespace {

const std::vector<std::string> kSeverities = {"invalid", "warning", "note"};

Severity severity_named(std::string_view name) {
  if (name == "invalid") return Severity::kInvalid;
  return name == "warning" ? Severity::kWarning : Severity::kNote;
}

// A trial without a number stays one, and a limit that is exceeded stays exceeded.
bool can_be_changed(const ReasonEntry& entry) {
  return entry.severity == Severity::kInvalid || entry.severity == Severity::kWarning ||
         entry.severity == Severity::kNote;
}

std::vector<std::string> changeable_codes() {
  std::vector<std::string> codes;
  for (const ReasonEntry& entry : reason_catalogue()) {
    if (can_be_changed(entry)) codes.emplace_back(entry.code);
  }
  return codes;
}

void read_one(PlanReader& reader, const toml::key& code, const toml::node& node, Plan& plan) {
  const ReasonEntry* entry = find_reason(code.str());
  if (entry == nullptr) {
    return reader.refuse(code.source(), unknown_word("reason", code.str(), changeable_codes()));
  }
  if (!can_be_changed(*entry)) {
    return reader.refuse(code.source(),
                         fmt::format("reason {} is always of severity {}", shown_word(code.str()),
                                     severity_name(entry->severity)));
  }
  const auto name = reader.word(code.str(), node, kSeverities);
  if (name) plan.severities[std::string(code.str())] = severity_named(*name);
}

}  // namespace

void read_severities(PlanReader& reader, const toml::node& node, Plan& plan) {
  const toml::table* table = reader.table("severity", node);
  if (table == nullptr) return;
  for (const auto& [code, value] : *table) read_one(reader, code, value, plan);
}

}  // namespace rtsweep
