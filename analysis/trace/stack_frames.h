// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rtsweep {

// What a stack trace of an event in an interrupt says of the code that was interrupted.
struct Interrupted {
  enum class Where {
    kUnknown,  // no stack, or none of an interrupt
    kUser,     // user space, where interrupts are always on
    kIdle,     // the idle loop
    kKernel,
  };
  Where where = Where::kUnknown;
  std::vector<std::string_view> functions;  // of kKernel and kIdle, innermost first
};

// `stack` is innermost first, as ftrace prints it.
Interrupted interrupted_code(const std::vector<std::string>& stack);

// Who called the scheduler, in the stack of a sched_switch: without the scheduler's own
// functions and those of the tracer.
std::vector<std::string_view> scheduling_code(const std::vector<std::string>& stack);

// "do_nasty <- nasty_ioctl": the first two that say something: busy-waiting for a time says
// nothing. Empty for none.
std::string calls_text(const std::vector<std::string_view>& functions);

// Whether the first of them is where interrupts are switched on again, so that an interrupt
// which waited for that arrives there: the end of a raw spinlock, returns and entries of
// interrupts and system calls, anything in a module (it inlines it).
bool switches_interrupts_on(const std::vector<std::string_view>& functions);

}  // namespace rtsweep
