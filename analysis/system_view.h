// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel_cmdline.h"
#include "analysis/kernel_config.h"
#include "analysis/machine_facts.h"
#include "analysis/observation.h"

namespace rtsweep {

// Adds to what is there already.
void add_observations(Observations& to, Observations more);

// Whether one of the named observations has the value.
bool observed_value(const Observations& observed, std::string_view name, std::string_view value);

// Everything that is known of one machine, or of a kernel for one. What is empty is unknown.
struct SystemView {
  std::optional<KernelConfig> config;
  std::string config_source;  // file name, for findings
  std::optional<KernelCmdline> cmdline;
  std::string cmdline_source;
  std::optional<std::string> log;  // dmesg or console log
  std::string log_source;
  std::optional<MachineFacts> machine;
  Observations observed;
  std::string kernel_version;  // a release: "6.12.9-rt5"
  std::string arch;            // as known_arch() gives it
};

// Fills in what follows from the parts: the command line that the log quotes, version and
// architecture, the flavour (what runs goes before what the config says), and the
// observations that need more than one line or more than one part. What was given stays.
SystemView completed(SystemView view);

}  // namespace rtsweep
