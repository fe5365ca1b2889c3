// SPDX-License-Identifier: GPL-2.0-or-later

// Requested is not effective: what the cell asks for, against what the machine says of
// itself after boot, and again after the trial.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/boot_parameter_effects.h"
#include "analysis/reason_catalogue.h"
#include "analysis/trial_check_parts.h"
#include "runner/base/text.h"

namespace rtsweep::checks {
namespace {

struct Moment {
  const MachineFacts& facts;
  std::string_view when;  // for a sentence's end: "" or " after the trial"
};

std::vector<Moment> moments_of(const TrialEvidence& evidence) {
  std::vector<Moment> moments;
  if (evidence.before) moments.push_back({*evidence.before, ""});
  if (evidence.after) moments.push_back({*evidence.after, " after the trial"});
  return moments;
}

// The first moment at which something is wrong gives the reason.
template <typename Check>
void check_moments(const TrialEvidence& evidence, Reasons& reasons, Check check) {
  for (const Moment& moment : moments_of(evidence)) {
    if (auto reason = check(moment)) return reasons.push_back(std::move(*reason));
  }
}

// uname -m of Debian's architectures. A 32-bit program can make its kernel say "armv8l".
bool is_machine_of(std::string_view arch, std::string_view machine) {
  if (arch == "amd64") return machine == "x86_64";
  if (arch == "arm64") return machine == "aarch64";
  if (arch == "i386") return machine.size() == 4 && machine[0] == 'i' && machine.ends_with("86");
  return machine.starts_with("armv7") || machine.starts_with("armv8l");
}

// What the kernel said of a NUMA emulation that it gave up: a CMA area that lies across
// the border of two nodes.
std::string quoted_straddle(const MachineFacts& facts) {
  for (const std::string& line : facts.memory_log) {
    if (line.find("straddles") != std::string::npos) return fmt::format(" (it says \"{}\")", line);
  }
  return {};
}

std::optional<Reason> judge_parameter(const std::string& parameter, const Moment& moment) {
  const std::vector<std::string> cmdline = words(moment.facts.cmdline);
  if (std::ranges::find(cmdline, parameter) == cmdline.end()) {
    return make_reason(
        "cmdline_not_effective",
        fmt::format("\"{}\" is not on the command line that the kernel was booted with",
                    parameter));
  }
  const BootParameterEffect* effect = find_effect(parameter);
  if (effect == nullptr) return std::nullopt;
  const size_t name = effect->parameter.size();
  const auto mismatch = effect->mismatch(std::string_view(parameter).substr(name), moment.facts);
  if (!mismatch) return std::nullopt;
  const std::string quoted =
      effect->code == "numa_not_effective" ? quoted_straddle(moment.facts) : "";
  return make_reason(effect->code, fmt::format("{} was asked for and {}{}{}", parameter, *mismatch,
                                               moment.when, quoted));
}

// Of a parameter that stands twice, the last one holds.
bool is_overridden(const std::vector<std::string>& parameters, size_t index) {
  const BootParameterEffect* effect = find_effect(parameters[index]);
  if (effect == nullptr) return false;
  return std::any_of(parameters.begin() + static_cast<long>(index) + 1, parameters.end(),
                     [&](const std::string& later) { return find_effect(later) == effect; });
}

}  // namespace

const MachineFacts* facts_of(const TrialEvidence& evidence) {
  if (evidence.before) return &*evidence.before;
  return evidence.after ? &*evidence.after : nullptr;
}

void check_kernel(const TrialEvidence& evidence, Reasons& reasons) {
  const std::string& wanted = evidence.expected_release;
  check_moments(evidence, reasons, [&](const Moment& moment) -> std::optional<Reason> {
    const std::string& ran = moment.facts.kernel_release;
    if (wanted.empty() || ran == wanted) return std::nullopt;
    return make_reason("wrong_kernel",
                       fmt::format("kernel {} ran instead of {}{}", ran, wanted, moment.when));
  });
  check_moments(evidence, reasons, [&](const Moment& moment) -> std::optional<Reason> {
    const MachineFacts& facts = moment.facts;
    if (!evidence.expect_rt || facts.preempt_rt == true) return std::nullopt;
    return make_reason("not_rt",
                       fmt::format("kernel {} {}", facts.kernel_release,
                                   facts.preempt_rt ? "is not PREEMPT_RT"
                                                    : "does not say whether it is PREEMPT_RT"));
  });
}

void check_bitness(const TrialEvidence& evidence, Reasons& reasons) {
  check_moments(evidence, reasons, [&](const Moment& moment) -> std::optional<Reason> {
    const std::string& machine = moment.facts.machine;
    if (evidence.arch.empty() || machine.empty() || is_machine_of(evidence.arch, machine)) {
      return std::nullopt;
    }
    return make_reason("level_not_effective",
                       fmt::format("arch {} was asked for and the machine is {}{}", evidence.arch,
                                   machine, moment.when));
  });
  check_moments(evidence, reasons, [&](const Moment& moment) -> std::optional<Reason> {
    const std::string& userland = moment.facts.userland;
    if (evidence.userland != "32-bit" || userland.empty() || userland == "32-bit") {
      return std::nullopt;
    }
    return make_reason("level_not_effective",
                       fmt::format("a 32-bit userland was asked for and {} programs measured{}",
                                   userland, moment.when));
  });
}

void check_boot_parameters(const TrialEvidence& evidence, Reasons& reasons) {
  const std::vector<std::string>& wanted = evidence.boot_parameters;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (is_overridden(wanted, i)) continue;
    check_moments(evidence, reasons,
                  [&](const Moment& moment) { return judge_parameter(wanted[i], moment); });
  }
}

}  // namespace rtsweep::checks
