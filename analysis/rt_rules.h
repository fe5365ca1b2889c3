// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/rule_condition.h"
#include "analysis/verdict.h"

namespace rtsweep {

// A small input on which a rule has to fire, or to stay silent; read by tests.
struct RuleExample {
  std::string config;  // taken as a full .config, unless `config_kind` says otherwise
  std::optional<ConfigKind> config_kind;
  std::optional<std::string> cmdline;
  std::optional<std::string> log;  // as if a kernel's banner stood before it
  std::map<std::string, std::vector<std::string>> facts;
  std::string arch;
  std::string kernel;
};

// One thing that spoils real-time measurements, as kernel-configs/rt-rules.toml has it.
struct RtRule {
  std::string code;  // stable: scripts match it
  Severity severity = Severity::kWarning;
  std::string text;    // what is so, in one sentence
  std::string why;     // what it does to a latency
  std::string fix;     // the command, option or parameter that mends it
  std::string source;  // where to read more
  Condition when;
  Truth applies_to(const SystemView& view) const;  // flavour, architecture, version

  std::vector<std::string> flavours;  // "plain", "rt", "cobalt", "evl"; empty: all
  std::vector<std::string> arches;    // empty: all
  std::string since;                  // kernel version, inclusive; empty: always
  std::string before;                 // kernel version, exclusive; empty: still
  RuleExample fires;
  RuleExample silent;
};

// Something that conditions may ask for with fact.NAME.
struct FactEntry {
  std::string origin;       // "machine", "report", "config", "cmdline", "log", "any"
  std::string description;  // what it is
};

struct RuleTable {
  std::vector<RtRule> rules;
  ConfigDefaults defaults;
  std::map<std::string, FactEntry> facts;  // conditions use these only
};

// Reads the table. kBadData, with `name` and the line, for a rule that lacks a part, whose
// condition cannot be read or uses a fact that is not listed, and for a code that is twice there.
Result<RuleTable> parse_rt_rules(std::string_view toml, std::string_view name);

// Something that was found, ready to be shown.
struct RtFinding {
  const RtRule* rule = nullptr;
  std::vector<Evidence> where;
};

// A rule that could not be judged.
struct UnknownRule {
  const RtRule* rule = nullptr;
  // "kernel config", "CONFIG_X", "command line", "the running machine (...)", "a report (...)"
  std::vector<std::string> missing;
};

struct CheckResult {
  std::vector<RtFinding> findings;  // the worst first, then in the order of the table
  std::vector<UnknownRule> unknown;
  size_t silent = 0;  // rules that were judged and found nothing, or are about other kernels

  size_t count(Severity severity) const;
  bool invalid() const { return count(Severity::kInvalid) > 0; }
};

// Judges every rule over a completed() view. The table must outlive the result.
CheckResult check_system(const RuleTable& table, const SystemView& view);

}  // namespace rtsweep
