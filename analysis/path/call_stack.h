// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <vector>

#include "analysis/path/kernel_symbols.h"

namespace rtsweep {

// The callers of the code that runs, guessed from where one block after another begins.
class CallStack {
 public:
  // User space goes on: no callers.
  void user();

  // An interrupt is entered, on top of what was running.
  void interrupt(const std::string& name);

  // A block at the address, in the function. Whether that is a call of it.
  bool block(uint64_t address, const KernelSymbol& function);

  const std::vector<std::string>& functions() const { return functions_; }  // outermost first
  std::string folded() const;                                               // "a;b;c"

  // The innermost function that is neither of the locks nor of the scheduler; else "".
  std::string within() const;

  // Whether a function whose name has these words in it is on the stack.
  bool has(std::string_view words) const;

 private:
  std::vector<std::string> functions_;
};

}  // namespace rtsweep
