// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/call_path.h"

#include <algorithm>
#include <optional>

#include "analysis/path/call_stack.h"

namespace rtsweep {
namespace {

class PathReader {
 public:
  PathReader(const CallPathInput& input, const KernelSymbols& symbols)
      : input_(input), symbols_(symbols) {
    path_.length = input.end - input.begin;
  }

  // A block that begins at `at` and executes so many instructions within the path.
  void block(const PathEvent& event, int64_t at, int64_t insns) {
    const KernelSymbol* function =
        event.value < input_.user_below ? nullptr : symbols_.find(event.value);
    bool called = false;
    if (function == nullptr) {
      stack_.user();
    } else if (input_.irq_entries.contains(event.value)) {
      stack_.interrupt("interrupt");
      step(PathStep::Kind::kInterrupt, at, function->name);
    } else if (!stack_.functions().empty() && stack_.functions().back() == "[interrupt]" &&
               event.value != function->address) {
      // Still the vector's own code.
    } else {
      called = stack_.block(event.value, *function);
      if (called) tell_step(at, function->name);
    }
    count(insns, called);
  }

  CallPath take() {
    for (auto& [name, function] : functions_) {
      function.name = name;
      path_.functions.push_back(function);
    }
    std::ranges::sort(path_.functions, [](const PathFunction& a, const PathFunction& b) {
      return a.self != b.self ? a.self > b.self : a.name < b.name;
    });
    return std::move(path_);
  }

 private:
  void step(PathStep::Kind kind, int64_t at, const std::string& function) {
    path_.steps.push_back(
        {.at = at - input_.begin, .kind = kind, .function = function, .within = stack_.within()});
  }

  void tell_step(int64_t at, const std::string& function) {
    using Kind = PathStep::Kind;
    const auto is = [&](std::string_view name) { return function.starts_with(name); };
    if (is("hrtimer_wakeup") || is("try_to_wake_up")) return step(Kind::kWakeup, at, function);
    if (is("rtlock_slowlock_locked") || is("rt_mutex_slowlock") || is("__rt_mutex_slowlock_lo")) {
      return step(Kind::kBlocks, at, function);
    }
    if (is("rt_mutex_slowunlock")) return step(Kind::kUnlock, at, function);
    if (is("finish_task_switch")) return step(Kind::kSwitch, at, function);
    if (!is("rt_mutex_setprio")) return;
    step(stack_.has("slowunlock") ? Kind::kUnboost : Kind::kBoost, at, function);
  }

  void count(int64_t insns, bool called) {
    path_.explained += insns;
    path_.stacks[stack_.folded()] += insns;
    const std::vector<std::string>& stack = stack_.functions();
    if (stack.empty()) return;
    PathFunction& innermost = functions_[stack.back()];
    innermost.self += insns;
    innermost.calls += called ? 1 : 0;
    const std::set<std::string> each(stack.begin(), stack.end());
    for (const std::string& function : each) functions_[function].total += insns;
  }

  const CallPathInput& input_;
  const KernelSymbols& symbols_;
  CallPath path_;
  CallStack stack_;
  std::map<std::string, PathFunction> functions_;
};

}  // namespace

CallPath call_path(const CallPathInput& input, const KernelSymbols& symbols) {
  PathReader reader(input, symbols);
  std::vector<const PathEvent*> blocks;
  for (const PathEvent& event : input.events) {
    const auto at = static_cast<int64_t>(event.icount);
    const bool within = at + event.insns > input.begin && at < input.end;
    if (event.kind == PathEvent::Kind::kBlock && within) blocks.push_back(&event);
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto at = static_cast<int64_t>(blocks[i]->icount);
    const int64_t next =
        i + 1 < blocks.size() ? static_cast<int64_t>(blocks[i + 1]->icount) : input.end;
    const int64_t last = std::min({at + static_cast<int64_t>(blocks[i]->insns), next, input.end});
    reader.block(*blocks[i], at, std::max<int64_t>(0, last - std::max(at, input.begin)));
  }
  return reader.take();
}

}  // namespace rtsweep
