// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rtsweep {

enum class ConsoleFindingKind {
  kKernelPanic,   // "Kernel panic - not syncing: ..."
  kInitMissing,   // nothing to run as init, or init has ended; the panic that follows included
  kKernelOops,    // a fault in the kernel: "Internal error: Oops", "BUG: unable to handle", ...
  kLockup,        // soft or hard lockup, spinlock lockup
  kRcuStall,      // a CPU or task holds up RCU: nothing gets on any more
  kHungTask,      // "task x:123 blocked for more than 120 seconds"
  kOomKill,       // memory ran out, a process was killed
  kRtThrottling,  // real-time tasks were kept off the CPU
  kKernelBug,     // a complaint that does not stop the kernel: "BUG: sleeping function ..."
};

// Something on a kernel's console that a measurement does not survive unharmed.
struct ConsoleFinding {
  ConsoleFindingKind kind = ConsoleFindingKind::kKernelPanic;
  bool fatal = false;            // the machine does no more work that could be trusted
  size_t line = 0;               // of the log, from 1
  std::optional<double> time_s;  // the kernel's own clock
  int times = 1;                 // how often it was said
  std::string text;              // the kernel's words, without prefixes

  bool operator==(const ConsoleFinding&) const = default;
};

// Looks through a console log or dmesg, whatever stands before the kernel's lines (time,
// caller id, syslog level, quote marks, a logger's own prefix) and however other programs'
// output is mixed in. The first fatal finding comes first, by the kernel's clock: the cause;
// what follows it are most often its consequences. Non-fatal findings come last. The same
// words again are one finding. A panic is found without its end marker.
std::vector<ConsoleFinding> scan_console(std::string_view log);

}  // namespace rtsweep
