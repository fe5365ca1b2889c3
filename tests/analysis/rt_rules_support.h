// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/rt_rules.h"
#include "runner/base/files.h"

namespace rtsweep::testing {

// The table that is installed; an unreadable one fails the test.
inline const RuleTable& rt_rules() {
  static const RuleTable kTable = [] {
    const auto text =
        read_file(std::filesystem::path(RTSWEEP_SOURCE_DIR) / "kernel-configs/rt-rules.toml");
    auto table = parse_rt_rules(text ? *text : "", "rt-rules.toml");
    if (table) return std::move(table).value();
    ADD_FAILURE() << table.error().message();
    return RuleTable();
  }();
  return kTable;
}

inline const RtRule* find_rule(const RuleTable& table, std::string_view code) {
  const auto it = std::ranges::find(table.rules, code, &RtRule::code);
  return it == table.rules.end() ? nullptr : &*it;
}

inline KernelConfig config_of(std::string_view text, std::optional<ConfigKind> kind = {}) {
  auto config = parse_kernel_config(text, kind);
  if (config) return std::move(config).value();
  ADD_FAILURE() << config.error().message();
  return {};
}

inline KernelCmdline cmdline_of(std::string_view text) {
  auto cmdline = parse_kernel_cmdline(text);
  if (cmdline) return std::move(cmdline).value();
  ADD_FAILURE() << cmdline.error().message();
  return {};
}

inline std::vector<std::string> codes_of(const CheckResult& result) {
  std::vector<std::string> codes;
  for (const RtFinding& finding : result.findings) codes.push_back(finding.rule->code);
  return codes;
}

inline std::vector<std::string> unknown_codes_of(const CheckResult& result) {
  std::vector<std::string> codes;
  for (const UnknownRule& unknown : result.unknown) codes.push_back(unknown.rule->code);
  return codes;
}

}  // namespace rtsweep::testing
