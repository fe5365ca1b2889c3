// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

struct CmdlineParameter {
  std::string name;                  // as the kernel compares it: '-' is '_'
  std::optional<std::string> value;  // without quotes; none for a word without '='
  std::string text;                  // as it was written
};

// The kernel's command line, read as parse_args() does: words between blanks, quotes keep
// blanks together, and "--" ends it (what follows is init's).
struct KernelCmdline {
  std::vector<CmdlineParameter> parameters;

  // The one that holds: the last of that name. Null when it is not there.
  const CmdlineParameter* find(std::string_view name) const;

  // Parameters given again of which the kernel uses the last one only. Not those that it
  // collects (console=, numa=, hugepages= and others).
  std::vector<const CmdlineParameter*> overridden() const;
};

// kBadData for text that is no command line: binary, more than one line, or too long.
Result<KernelCmdline> parse_kernel_cmdline(std::string_view text);

// A list of CPUs as boot parameters take it: "2-3,5", "0-15:2/4" (two out of each four).
// Nothing when it cannot be read or needs the number of CPUs ("all", "N").
std::optional<std::set<int>> parse_boot_cpu_list(std::string_view text);

// isolcpus=[flag-list,]cpu-list
struct IsolcpusValue {
  std::vector<std::string> flags;  // "domain", "nohz", "managed_irq"; empty means domain
  std::string cpus;                // as it was written
};
IsolcpusValue parse_isolcpus(std::string_view value);

}  // namespace rtsweep
