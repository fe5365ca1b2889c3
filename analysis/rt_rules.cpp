// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/rt_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "analysis/kernel_arch.h"

namespace rtsweep {
namespace {

// "Nothing of the kind is here" is only of interest where nothing else is.
std::vector<Evidence> worth_showing(std::vector<Evidence> evidence) {
  const bool has_positive =
      std::ranges::any_of(evidence, [](const Evidence& one) { return !one.absence; });
  std::set<std::tuple<std::string, std::string, size_t>> known;
  std::erase_if(evidence, [&](const Evidence& one) {
    if (has_positive && one.absence) return true;
    return !known.emplace(one.text, one.source, one.line).second;
  });
  return evidence;
}

Truth flavour_applies(const RtRule& rule, const SystemView& view) {
  if (rule.flavours.empty()) return Truth::kTrue;
  const auto flavour = view.observed.find("flavour");
  if (flavour == view.observed.end() || flavour->second.empty()) return Truth::kUnknown;
  const std::string& value = flavour->second.front().value;
  const bool named = std::ranges::find(rule.flavours, value) != rule.flavours.end();
  return named ? Truth::kTrue : Truth::kFalse;
}

Truth arch_applies(const RtRule& rule, const SystemView& view) {
  if (rule.arches.empty()) return Truth::kTrue;
  if (view.arch.empty()) return Truth::kUnknown;
  const bool named = std::ranges::any_of(
      rule.arches, [&](const std::string& arch) { return arch_matches(view.arch, arch); });
  return named ? Truth::kTrue : Truth::kFalse;
}

Truth version_applies(const RtRule& rule, const SystemView& view) {
  if (rule.since.empty() && rule.before.empty()) return Truth::kTrue;
  if (version_numbers(view.kernel_version).empty()) return Truth::kUnknown;
  const bool early = !rule.since.empty() && compare_versions(view.kernel_version, rule.since) < 0;
  const bool late = !rule.before.empty() && compare_versions(view.kernel_version, rule.before) >= 0;
  return early || late ? Truth::kFalse : Truth::kTrue;
}

void add_missing_of_scope(const RtRule& rule, const SystemView& view, UnknownRule& unknown) {
  if (flavour_applies(rule, view) == Truth::kUnknown)
    unknown.missing.emplace_back("kernel flavour");
  if (arch_applies(rule, view) == Truth::kUnknown) unknown.missing.emplace_back("architecture");
  if (version_applies(rule, view) == Truth::kUnknown)
    unknown.missing.emplace_back("kernel version");
}

// A fact by what it would be read from: "fact governor" is "the running machine (cpufreq
// governor of each CPU)".
std::string need_text(const RuleTable& table, const std::string& missing) {
  if (!missing.starts_with("fact ")) return missing;
  const auto fact = table.facts.find(missing.substr(5));
  if (fact == table.facts.end()) return missing;
  const auto& [origin, description] = fact->second;
  if (origin == "machine") return fmt::format("the running machine ({})", description);
  if (origin == "report") return fmt::format("a report ({})", description);
  if (origin == "config") return "kernel config";
  if (origin == "cmdline") return "command line";
  if (origin == "log") return "kernel log";
  return "kernel flavour";
}

}  // namespace

Truth RtRule::applies_to(const SystemView& view) const {
  return both(flavour_applies(*this, view),
              both(arch_applies(*this, view), version_applies(*this, view)));
}

size_t CheckResult::count(Severity severity) const {
  return static_cast<size_t>(std::ranges::count_if(
      findings, [&](const RtFinding& finding) { return finding.rule->severity == severity; }));
}

CheckResult check_system(const RuleTable& table, const SystemView& view) {
  CheckResult result;
  for (const RtRule& rule : table.rules) {
    Judgement judgement = rule.when.judge(view, table.defaults);
    const Truth truth = both(rule.applies_to(view), judgement.truth);
    if (truth == Truth::kTrue) {
      result.findings.push_back({&rule, worth_showing(std::move(judgement.evidence))});
    } else if (truth == Truth::kUnknown) {
      UnknownRule unknown{&rule, {}};
      add_missing_of_scope(rule, view, unknown);
      if (judgement.truth == Truth::kUnknown) {
        for (const std::string& one : judgement.missing) {
          const std::string need = need_text(table, one);
          if (std::ranges::find(unknown.missing, need) == unknown.missing.end()) {
            unknown.missing.push_back(need);
          }
        }
      }
      result.unknown.push_back(std::move(unknown));
    } else {
      ++result.silent;
    }
  }
  std::ranges::stable_sort(result.findings, [](const RtFinding& a, const RtFinding& b) {
    return a.rule->severity > b.rule->severity;
  });
  return result;
}

}  // namespace rtsweep
