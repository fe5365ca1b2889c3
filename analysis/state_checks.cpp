// SPDX-License-Identifier: GPL-2.0-or-later

// What the machine is like, and whether it was the same after the trial.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/reason_catalogue.h"
#include "analysis/trial_check_parts.h"

namespace rtsweep::checks {
namespace {

// Checks at run time that cost more than what is measured. Not among them are those that
// distributions have in their normal kernels (LIST_HARDENED, UBSAN_BOUNDS, KFENCE).
constexpr std::string_view kDebugOptions[] = {
    // clang-format off
    "PROVE_LOCKING", "LOCKDEP", "DEBUG_LOCK_ALLOC", "LOCK_STAT", "DEBUG_ATOMIC_SLEEP",
    "DEBUG_PREEMPT", "DEBUG_SPINLOCK", "DEBUG_MUTEXES", "DEBUG_RT_MUTEXES", "DEBUG_OBJECTS",
    "DEBUG_KMEMLEAK", "DEBUG_PAGEALLOC_ENABLE_DEFAULT", "SLUB_DEBUG_ON", "KASAN", "KCSAN",
    "KMSAN", "KCOV", "GCOV_KERNEL", "IRQSOFF_TRACER", "PREEMPT_TRACER", "IPIPE_DEBUG",
    "IPIPE_TRACE",
    // clang-format on
};

std::string limits_text(const FrequencyLimits& limits) {
  const auto number = [](const std::optional<int64_t>& khz) {
    return khz ? std::to_string(*khz) : std::string("unknown");
  };
  return number(limits.min_khz) + " to " + number(limits.max_khz) + " kHz";
}

void check_frequency_limits(const MachineFacts& before, const MachineFacts& after,
                            Reasons& reasons) {
  for (const auto& [cpu, limits] : before.frequency_limits) {
    const auto now = after.frequency_limits.find(cpu);
    if (now == after.frequency_limits.end() || now->second == limits) continue;
    return reasons.push_back(
        make_reason("frequency_changed",
                    fmt::format("CPU {} was limited to {} before and to {} after the trial", cpu,
                                limits_text(limits), limits_text(now->second))));
  }
}

void check_changed_governors(const MachineFacts& before, const MachineFacts& after,
                             Reasons& reasons) {
  for (const auto& [cpu, governor] : before.governors) {
    const auto now = after.governors.find(cpu);
    if (now == after.governors.end() || now->second == governor) continue;
    return reasons.push_back(make_reason(
        "governor_changed", fmt::format("the frequency governor of CPU {} went from {} to {}", cpu,
                                        governor, now->second)));
  }
}

}  // namespace

std::span<const std::string_view> debug_options() { return kDebugOptions; }

void check_kernel_options(const TrialEvidence& evidence, Reasons& reasons) {
  const MachineFacts* facts = facts_of(evidence);
  if (facts == nullptr) return;
  std::vector<std::string> found;
  for (const std::string_view option : kDebugOptions) {
    const auto value = facts->kernel_config.find(std::string(option));
    if (value == facts->kernel_config.end() || value->second != "y") continue;
    found.push_back("CONFIG_" + std::string(option));
  }
  if (found.empty()) return;
  reasons.push_back(make_reason(
      "debug_kernel", fmt::format("the kernel is built with {}", fmt::join(found, ", "))));
}

void check_what_changed(const TrialEvidence& evidence, Reasons& reasons) {
  if (!evidence.before || !evidence.after) return;
  const MachineFacts& before = *evidence.before;
  const MachineFacts& after = *evidence.after;
  if (!before.clocksource.empty() && !after.clocksource.empty() &&
      before.clocksource != after.clocksource) {
    reasons.push_back(make_reason(
        "clocksource_changed",
        fmt::format("the clock source went from {} to {}", before.clocksource, after.clocksource)));
  }
  check_changed_governors(before, after, reasons);
  check_frequency_limits(before, after, reasons);
}

void check_governors(const TrialEvidence& evidence, Reasons& reasons) {
  const MachineFacts* facts = facts_of(evidence);
  if (facts == nullptr) return;
  for (const auto& [cpu, governor] : facts->governors) {
    if (governor == "performance") continue;
    return reasons.push_back(make_reason("governor_not_performance",
                                         fmt::format("CPU {} has the {} governor", cpu, governor)));
  }
}

}  // namespace rtsweep::checks
