// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/kernel_arch.h"
#include "analysis/system_view.h"

namespace rtsweep {

// What a boot log or dmesg says of the kernel itself. Empty is unknown.
struct KernelLogFacts {
  std::string kernel_version;            // of the banner, or of a stack dump's header
  std::optional<KernelFlavour> flavour;  // the same
  std::string flavour_said;              // the words that tell it: "#1 SMP PREEMPT ..."
  size_t flavour_line = 0;
  std::optional<std::string> cmdline;  // "Kernel command line: ..."
  bool from_boot = false;  // has the banner: what a whole log does not say did not happen

  // console_fault    the first fatal message; "said" also has those that follow
  // console          every other complaint, by its kind: "rt_throttling", "kernel_bug", ...
  // log_start        "late" for a log with a fault and without the beginning of the boot
  // numa_nodes       how many the log names; "Faking a node" is one
  // lone_node        "faked": no NUMA hardware, and nothing emulated
  Observations observed;
};

// Takes what console_log.h takes: prefixes, quote marks and wrapped lines do no harm.
KernelLogFacts read_kernel_log_facts(std::string_view log, const std::string& source);

// Where a pattern stands in a log. '*' in it is any text within the line.
struct LogMatch {
  std::string text;  // from the line's kernel time on, without control characters
  size_t line = 0;   // the first, from 1
  int times = 0;
};
std::optional<LogMatch> find_in_log(std::string_view log, std::string_view pattern);

}  // namespace rtsweep
