// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include <algorithm>

#include "analysis/path/path_explanation.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

std::string called(const std::string& function) {
  return function.empty() ? "unknown code" : function + "()";
}

std::string share(int64_t part, int64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * part / whole);
}

std::string conclusion(const PathExplanation& explanation, const ExplainedWakeup& one) {
  const int64_t all = one.wakeup.instructions();
  std::string text = fmt::format("{:.1f} us = {} instructions", explanation.us(all), all);
  const auto longest = std::ranges::max_element(one.waits, {}, &LockWait::instructions);
  if (longest != one.waits.end()) {
    return text + fmt::format(
                      ": {} of them it waited for a lock that {} wanted and that a preempted task "
                      "held{}.",
                      share(longest->instructions(), all), called(longest->taker),
                      longest->boosted ? " (priority inherited)" : "");
  }
  if (one.path.functions.empty()) return text + ".";
  const PathFunction& most = one.path.functions.front();
  return text + fmt::format(": no lock was waited for; most in {} ({}).", called(most.name),
                            share(most.self, all));
}

std::string timeline(const PathExplanation& explanation, const ExplainedWakeup& one) {
  std::string text = "  timeline (instructions after expiry, us)\n";
  const auto line = [&](int64_t at, std::string_view what) {
    text += fmt::format("  {:>8} {:>8.1f}  {}\n", at, explanation.us(at), what);
  };
  line(0, "the timer expires");
  for (const PathStep& step : one.path.steps) {
    const std::string in = step.within.empty() ? "" : " in " + step.within + "()";
    switch (step.kind) {
      case PathStep::Kind::kInterrupt:
        line(step.at, "interrupt");
        break;
      case PathStep::Kind::kWakeup:
        if (step.function.starts_with("hrtimer")) line(step.at, "hrtimer_wakeup() of the thread");
        break;
      case PathStep::Kind::kBlocks:
        line(step.at, "waits for a lock" + in);
        break;
      case PathStep::Kind::kBoost:
        line(step.at, "boosts a task's priority" + in);
        break;
      case PathStep::Kind::kUnboost:
        line(step.at, "its priority goes back" + in);
        break;
      case PathStep::Kind::kUnlock:
        line(step.at, "lets go of the lock" + in);
        break;
      case PathStep::Kind::kSwitch:
        line(step.at, "switch: another task has the CPU");
        break;
    }
  }
  line(one.wakeup.user - one.wakeup.expiry, "the thread is in user space");
  line(one.wakeup.instructions(), "it has read the clock");
  return text;
}

std::string locks(const PathExplanation& explanation, const ExplainedWakeup& one) {
  std::string text;
  for (const LockWait& wait : one.waits) {
    text += fmt::format(
        "  lock: {} blocks at +{}; the holder{} runs from +{} and lets go in {} at +{}; the thread "
        "has the CPU again at +{}: {} instructions, {:.1f} us\n",
        called(wait.taker), wait.blocked, wait.boosted ? ", boosted," : "", wait.holder,
        called(wait.releaser), wait.released, wait.again, wait.instructions(),
        explanation.us(wait.instructions()));
  }
  return text;
}

std::string functions(const ExplainedWakeup& one, size_t most) {
  std::string text =
      fmt::format("  {:>8} {:>7} {:>8} {:>6}  function\n", "self", "", "total", "calls");
  size_t shown = 0;
  for (const PathFunction& f : one.path.functions) {
    if (shown++ == most) break;
    text += fmt::format("  {:>8} {:>7} {:>8} {:>6}  {}\n", f.self,
                        share(f.self, one.wakeup.instructions()), f.total, f.calls, f.name);
  }
  return text;
}

std::string proof(const PathExplanation& explanation) {
  if (!explanation.other_identity.empty()) {
    return "Not the same experiment any more: " + join(explanation.other_identity, ", ") +
           " differ from when it was measured.";
  }
  if (explanation.exact()) {
    return "Measured again with the emulator looking on: results and console are the same, byte "
           "for byte.";
  }
  return fmt::format(
      "Measured again with the emulator looking on, and the {} differ: not to be "
      "trusted.",
      explanation.same_results ? "console lines" : "results");
}

}  // namespace

std::string path_text(const PathExplanation& explanation, size_t most) {
  std::string text =
      fmt::format("{}, {}: {} of {} wakeups followed; the probe's maximum is {} us\n{}\n",
                  explanation.source, explanation.kernel, explanation.followed, explanation.samples,
                  explanation.max_us, proof(explanation));
  for (const ExplainedWakeup& one : explanation.worst) {
    text += fmt::format("\nwakeup {}: {}\n\n", one.number, conclusion(explanation, one));
    text += timeline(explanation, one) + "\n" + locks(explanation, one);
    text += fmt::format("{}  {} of {} instructions in named code ({})\n", functions(one, most),
                        one.path.explained, one.wakeup.instructions(),
                        share(one.path.explained, one.wakeup.instructions()));
  }
  return text;
}

}  // namespace rtsweep
