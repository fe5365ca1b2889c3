// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include "runner/plan/plan.h"
#include "runner/plan/plan_checks.h"
#include "runner/plan/plan_reader.h"
#include "runner/plan/plan_sections.h"

namespace rtsweep {
namespace {

Error syntax_error(const toml::parse_error& error, const std::filesystem::path& file) {
  PlanReader reader(file);
  reader.refuse(error.source(), std::string(error.description()));
  return reader.error();
}

}  // namespace

Result<Plan> parse_plan(std::string_view text, const std::filesystem::path& file) {
  const toml::parse_result parsed = toml::parse(text, file.string());
  if (!parsed) return syntax_error(parsed.error(), file);

  PlanReader reader(file);
  Plan plan{.file = file, .text = std::string(text)};
  read_plan(reader, parsed.table(), plan);
  // What does not fit together is looked at only in a plan of sound parts: else
  // one mistake would be told as several.
  if (reader.clean()) check_plan(reader, parsed.table(), plan);
  if (!reader.clean()) return reader.error();
  return plan;
}

}  // namespace rtsweep
