// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/plan.h"
#include "runner/plan/plan_checks.h"
#include "runner/plan/plan_reader.h"
#include "runner/plan/plan_sections.h"

namespace rtsweep {

Result<Plan> parse_plan(std::string_view text, const std::filesystem::path& file) {
  PlanReader reader(file);
  const auto root = reader.parse(text);
  if (!root) return reader.error();
  Plan plan{.file = file, .text = std::string(text)};
  read_plan(reader, *root, plan);
  // What does not fit together is looked at only in a plan of sound parts: else
  // one mistake would be told as several.
  if (reader.clean()) check_plan(reader, *root, plan);
  if (!reader.clean()) return reader.error();
  return plan;
}

}  // namespace rtsweep
