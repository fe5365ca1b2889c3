// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/interrupted.h"

#include <algorithm>
#include <array>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr size_t kShown = 3;

// As arch/x86/entry, arch/arm64/kernel/entry.S and arch/arm/kernel/entry-armv.S call them;
// el1_irq and apic_timer_interrupt are those of kernels before 5.12 and 5.8.
constexpr std::array<std::string_view, 6> kEntries = {
    "asm_common_interrupt", "el1h_64_irq",  "el1_irq", "__irq_svc",
    "apic_timer_interrupt", "ret_from_intr"};
constexpr std::array<std::string_view, 4> kEntriesFromUser = {"el0t_64_irq", "el0t_32_irq",
                                                              "el0_irq", "__irq_usr"};
// By preempt_enable(), kernel/sched/core.c; the thunks are x86's.
constexpr std::array<std::string_view, 5> kPreemption = {
    "preempt_schedule", "preempt_schedule_common", "preempt_schedule_thunk",
    "preempt_schedule_notrace", "preempt_schedule_notrace_thunk"};

// "=> foo+0x12/0x40 [module]" as "foo".
std::string_view bare(std::string_view function) {
  return function.substr(0, function.find_first_of("+ "));
}

bool is_one_of(std::string_view function, const auto& names) {
  return std::ranges::find(names, function) != names.end();
}

}  // namespace

std::string Interrupted::place() const {
  const size_t shown = std::min(functions.size(), kShown);
  return join({functions.begin(), functions.begin() + static_cast<ptrdiff_t>(shown)}, " <- ");
}

bool Interrupted::passes(std::string_view part) const {
  return std::ranges::any_of(functions, [part](const std::string& function) {
    return function.find(part) != std::string::npos;
  });
}

std::optional<Interrupted> interrupted(const std::vector<std::string>& stack) {
  std::optional<Interrupted> found;
  for (const std::string& line : stack) {
    const std::string_view function = bare(line);
    const bool from_user = is_one_of(function, kEntriesFromUser);
    const bool entry =
        from_user || function.starts_with("asm_sysvec_") || is_one_of(function, kEntries);
    const bool preempted = is_one_of(function, kPreemption);
    if ((entry || preempted) && !found) {
      found = Interrupted{.user_space = from_user, .preempted = preempted, .functions = {}};
    } else if (preempted) {
      continue;
    } else if (found && !found->user_space) {
      found->functions.emplace_back(function);
    }
  }
  if (found && found->functions.empty()) found->user_space = true;
  return found;
}

}  // namespace rtsweep
