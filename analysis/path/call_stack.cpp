// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/call_stack.h"

#include <algorithm>
#include <array>

namespace rtsweep {
namespace {

// Deeper than any real one: calls that never return (jumps between functions) end there.
constexpr size_t kDeepest = 64;

constexpr std::array<std::string_view, 20> kLocksAndScheduler = {
    "rt_spin_",  "rt_mutex_",    "rtlock_",        "__rt_mutex",    "_raw_spin",
    "rt_read_",  "rt_write_",    "rwbase_",        "mutex_",        "__mutex_",
    "mark_wake", "task_blocks_", "try_to_take_rt", "try_to_wake_",  "wake_up_",
    "schedule",  "__schedule",   "finish_task_",   "remove_waiter", "__wake_up"};

// A function's parts that the compiler put elsewhere, and copies for some callers, are it.
std::string base_name(const std::string& name) {
  const size_t dot = name.find('.');
  if (dot == std::string::npos || dot == 0) return name;
  const size_t module = name.find(' ');
  return name.substr(0, dot) + (module == std::string::npos ? "" : name.substr(module));
}

}  // namespace

void CallStack::user() { functions_ = {"[user]"}; }

void CallStack::interrupt(const std::string& name) { functions_.push_back("[" + name + "]"); }

bool CallStack::block(uint64_t address, const KernelSymbol& function) {
  const std::string name = base_name(function.name);
  if (!functions_.empty() && functions_.back() == name) return address == function.address;
  if (functions_ == std::vector<std::string>{"[user]"}) functions_.clear();
  if (address == function.address && function.name.find(".cold") == std::string::npos) {
    if (functions_.size() < kDeepest) functions_.push_back(name);
    return true;
  }
  const auto caller = std::find(functions_.rbegin(), functions_.rend(), name);
  if (caller != functions_.rend()) {
    functions_.erase(caller.base(), functions_.end());
  } else {
    functions_ = {name};
  }
  return false;
}

std::string CallStack::folded() const {
  std::string text;
  for (const std::string& function : functions_) text += (text.empty() ? "" : ";") + function;
  return text;
}

std::string CallStack::within() const {
  for (auto function = functions_.rbegin(); function != functions_.rend(); ++function) {
    const bool passed = std::ranges::any_of(
        kLocksAndScheduler, [&](std::string_view begin) { return function->starts_with(begin); });
    if (!passed) return *function;
  }
  return "";
}

bool CallStack::has(std::string_view words) const {
  return std::ranges::any_of(functions_, [&](const std::string& function) {
    return function.find(words) != std::string::npos;
  });
}

}  // namespace rtsweep
