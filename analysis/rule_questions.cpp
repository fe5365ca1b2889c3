// SPDX-License-Identifier: GPL-2.0-or-later

// How each question of a condition is answered from the view.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <compare>

#include "analysis/kernel_arch.h"
#include "analysis/kernel_log_facts.h"
#include "analysis/rule_condition_parts.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

Truth truth_of(bool value) { return value ? Truth::kTrue : Truth::kFalse; }

Judgement unknown(std::string what) { return {.missing = {std::move(what)}}; }

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = ec == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole ? std::optional(value) : std::nullopt;
}

bool holds(std::partial_ordering order, Comparison comparison) {
  switch (comparison) {
    case Comparison::kLess:
      return order < 0;
    case Comparison::kLessEqual:
      return order <= 0;
    case Comparison::kMore:
      return order > 0;
    case Comparison::kMoreEqual:
      return order >= 0;
    case Comparison::kUnequal:
      return order != 0;
    default:
      return order == 0;
  }
}

bool in_comma_list(std::string_view list, std::string_view value) {
  const std::vector<std::string> parts = split(list, ',');
  return std::find(parts.begin(), parts.end(), value) != parts.end();
}

// Numbers as numbers; what is no number is only equal or not.
bool compares(std::string_view found, const Question& question) {
  if (question.comparison == Comparison::kHas) return in_comma_list(found, question.value);
  const auto left = number_of(found);
  const auto right = number_of(question.value);
  if (left && right) return holds(*left <=> *right, question.comparison);
  const bool ordered =
      question.comparison != Comparison::kEqual && question.comparison != Comparison::kUnequal;
  return !ordered && holds(found.compare(question.value) <=> 0, question.comparison);
}

Judgement absent_option(const Question& question, const SystemView& view,
                        const ConfigDefaults& defaults) {
  const bool full = view.config->kind == ConfigKind::kFull;
  const bool defconfig = view.config->kind == ConfigKind::kDefconfig;
  const bool off = full || (defconfig && defaults.off.contains(question.name));
  const bool on = defconfig && defaults.on.contains(question.name);
  if (!off && !on) return unknown("CONFIG_" + question.name);
  bool truth = on;
  if (question.comparison != Comparison::kPresent) truth = compares(on ? "y" : "n", question);
  const std::string_view why = full ? "is not in the file"
                               : on ? "is on by default"
                                    : "is off by default";
  return {
      .truth = truth_of(truth),
      .evidence = {{fmt::format("CONFIG_{} {}", question.name, why), view.config_source, 0, true}}};
}

Judgement answer_config(const Question& question, const SystemView& view,
                        const ConfigDefaults& defaults) {
  if (!view.config) return unknown("kernel config");
  const ConfigSetting* setting = view.config->find(question.name);
  if (setting == nullptr) return absent_option(question, view, defaults);
  const bool truth = question.comparison == Comparison::kPresent
                         ? view.config->is_on(question.name)
                         : compares(setting->value, question);
  return {.truth = truth_of(truth),
          .evidence = {{setting->text, view.config_source, setting->line, false}}};
}

Judgement answer_cmdline(const Question& question, const SystemView& view) {
  if (!view.cmdline) return unknown("command line");
  const CmdlineParameter* parameter = view.cmdline->find(question.name);
  if (parameter == nullptr) {
    return {.truth = truth_of(question.comparison == Comparison::kUnequal),
            .evidence = {
                {question.name + " is not on the command line", view.cmdline_source, 0, true}}};
  }
  const bool truth = question.comparison == Comparison::kPresent ||
                     compares(parameter->value.value_or(""), question);
  return {.truth = truth_of(truth), .evidence = {{parameter->text, view.cmdline_source, 0, false}}};
}

// True when any observation is: "fact.governor != performance" is about one CPU too.
Judgement answer_fact(const Question& question, const SystemView& view) {
  const auto it = view.observed.find(question.name);
  if (it == view.observed.end()) return unknown("fact " + question.name);
  Judgement judgement{.truth = Truth::kFalse};
  for (const Observation& one : it->second) {
    if (question.comparison != Comparison::kPresent && !compares(one.value, question)) continue;
    judgement.truth = Truth::kTrue;
    if (!one.said.empty()) judgement.evidence.push_back({one.said, one.source, one.line, false});
  }
  return judgement;
}

// A log without the beginning of the boot may have lost the line.
Judgement answer_log(const Question& question, const SystemView& view) {
  if (!view.log) return unknown("kernel log");
  const auto match = find_in_log(*view.log, question.name);
  if (match) {
    const std::string times = match->times > 1 ? fmt::format(" ({} times)", match->times) : "";
    return {.truth = Truth::kTrue,
            .evidence = {{match->text + times, view.log_source, match->line, false}}};
  }
  const bool whole = view.log->find("Linux version ") != std::string::npos;
  return whole ? Judgement{.truth = Truth::kFalse} : unknown("the beginning of the kernel log");
}

Judgement answer_arch(const Question& question, const SystemView& view) {
  if (view.arch.empty()) return unknown("architecture");
  const bool same = arch_matches(view.arch, question.value);
  return {.truth = truth_of(question.comparison == Comparison::kUnequal ? !same : same)};
}

Judgement answer_kernel(const Question& question, const SystemView& view) {
  if (version_numbers(view.kernel_version).empty()) return unknown("kernel version");
  const auto order = compare_versions(view.kernel_version, question.value);
  return {.truth = truth_of(holds(order, question.comparison))};
}

}  // namespace

Judgement answer(const Question& question, const SystemView& view, const ConfigDefaults& defaults) {
  switch (question.subject) {
    case Subject::kConfig:
      return answer_config(question, view, defaults);
    case Subject::kCmdline:
      return answer_cmdline(question, view);
    case Subject::kFact:
      return answer_fact(question, view);
    case Subject::kLog:
      return answer_log(question, view);
    case Subject::kArch:
      return answer_arch(question, view);
    default:
      return answer_kernel(question, view);
  }
}

}  // namespace rtsweep
