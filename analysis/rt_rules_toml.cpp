// SPDX-License-Identifier: GPL-2.0-or-later

// The rule table's file format; see docs/checking-a-machine.md.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/rt_rules.h"
#include "runner/base/text.h"
#include "runner/base/toml.h"

namespace rtsweep {
namespace {

constexpr std::array<std::string_view, 13> kRuleKeys = {
    "code",    "severity", "when",  "text",   "why",   "fix",   "source",
    "flavour", "arch",     "since", "before", "fires", "silent"};

class RuleTableReader {
 public:
  explicit RuleTableReader(std::string_view name) : name_(name) {}

  Result<RuleTable> read(const toml::table& document) {
    for (const auto& [origin, names] : table_at(document, "facts")) {
      if (!names.is_table()) return error(names.source(), "[facts.ORIGIN] expected");
      for (const auto& [name, description] : *names.as_table()) {
        table_.facts[std::string(name.str())] = {std::string(origin.str()),
                                                 description.value_or("")};
      }
    }
    table_.defaults.off = names_in(document["defaults"]["off"]);
    table_.defaults.on = names_in(document["defaults"]["on"]);
    const toml::array* rules = document["rule"].as_array();
    if (rules == nullptr) return Error(Errc::kBadData, name_ + ": has no [[rule]]");
    for (const toml::node& node : *rules) {
      if (auto done = read_rule(node); !done) return std::move(done).error();
    }
    return std::move(table_);
  }

  Error error(const toml::source_region& place, std::string_view what) const {
    return {Errc::kBadData, fmt::format("{}:{}: {}", name_, place.begin.line, what)};
  }

 private:
  static toml::table table_at(const toml::table& parent, std::string_view key) {
    const toml::table* found = parent[key].as_table();
    return found == nullptr ? toml::table() : *found;
  }

  static std::set<std::string, std::less<>> names_in(
      const toml::node_view<const toml::node>& node) {
    const auto list = strings(node);
    return {list.begin(), list.end()};
  }

  // A string, or an array of them.
  static std::vector<std::string> strings(const toml::node_view<const toml::node>& node) {
    std::vector<std::string> list;
    if (const auto one = node.value<std::string>()) list.push_back(*one);
    if (const toml::array* array = node.as_array()) {
      for (const toml::node& item : *array) list.push_back(item.value_or(std::string()));
    }
    return list;
  }

  Result<void> read_rule(const toml::node& node) {
    const toml::table* fields = node.as_table();
    if (fields == nullptr) return error(node.source(), "[[rule]] expected");
    for (const auto& [key, value] : *fields) {
      if (std::ranges::find(kRuleKeys, key.str()) == kRuleKeys.end()) {
        return error(key.source(), fmt::format("unknown key '{}'", key.str()));
      }
    }
    for (const std::string_view key :
         {"code", "severity", "when", "text", "why", "fix", "source"}) {
      if ((*fields)[key].value_or(std::string()).empty()) {
        return error(node.source(), fmt::format("rule without '{}'", key));
      }
    }
    return add_rule(*fields);
  }

  Result<void> add_rule(const toml::table& fields) {
    const auto text = [&](std::string_view key) {
      const auto words_of = words(fields[key].value_or(std::string()));
      return join(words_of, " ");
    };
    const std::string code = text("code");
    if (std::ranges::find(table_.rules, code, &RtRule::code) != table_.rules.end()) {
      return error(fields.source(), fmt::format("code '{}' is there already", code));
    }
    const auto severity = severity_from(text("severity"));
    if (!severity) {
      return error(fields.source(), code + ": severity is invalid, warning or note");
    }
    auto when = Condition::parse(text("when"));
    if (!when) return error(fields.source(), code + ": when: " + when.error().message());
    for (const std::string& fact : when->facts()) {
      if (table_.facts.contains(fact)) continue;
      return error(fields.source(), fmt::format("{}: fact.{} is not in [facts]", code, fact));
    }
    table_.rules.push_back({.code = code,
                            .severity = *severity,
                            .text = text("text"),
                            .why = text("why"),
                            .fix = text("fix"),
                            .source = text("source"),
                            .when = std::move(when).value(),
                            .flavours = strings(fields["flavour"]),
                            .arches = strings(fields["arch"]),
                            .since = text("since"),
                            .before = text("before"),
                            .fires = example(table_at(fields, "fires")),
                            .silent = example(table_at(fields, "silent"))});
    return {};
  }

  static std::optional<Severity> severity_from(std::string_view name) {
    for (const Severity severity : {Severity::kInvalid, Severity::kWarning, Severity::kNote}) {
      if (severity_name(severity) == name) return severity;
    }
    return std::nullopt;
  }

  static RuleExample example(const toml::table& fields) {
    RuleExample made;
    made.config = join(strings(fields["config"]), "\n");
    made.config_kind = config_kind_from(fields["kind"].value_or(std::string()));
    made.cmdline = fields["cmdline"].value<std::string>();
    made.log = fields["log"].value<std::string>();
    made.arch = fields["arch"].value_or(std::string());
    made.kernel = fields["kernel"].value_or(std::string());
    for (const auto& [name, values] : table_at(fields, "facts")) {
      made.facts[std::string(name.str())] = strings(toml::node_view<const toml::node>(values));
    }
    return made;
  }

  std::string name_;
  RuleTable table_;
};

}  // namespace

Result<RuleTable> parse_rt_rules(std::string_view toml, std::string_view name) {
  RuleTableReader reader(name);
  try {
    return reader.read(toml::parse(toml));
  } catch (const toml::parse_error& wrong) {
    return reader.error(wrong.source(), wrong.description());
  }
}

}  // namespace rtsweep
