// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

// How much a config file says about the kernel that is built from it.
//
//   full       a .config: an option that it does not have is off, or does not exist
//   defconfig  differences from the defaults: an option that is absent has its default
//   fragment   is merged over something else: what is absent is not known
enum class ConfigKind { kFull, kDefconfig, kFragment };

std::string_view config_kind_name(ConfigKind kind);  // "full", "defconfig", "fragment"
std::optional<ConfigKind> config_kind_from(std::string_view name);

struct ConfigSetting {
  std::string value;  // "y", "m", "n", a number, or a string without its quotes
  size_t line = 0;    // from 1
  std::string text;   // the line, without blanks at its ends
};

// Something that kconfig complains about or passes over in silence.
struct ConfigRemark {
  std::string text;  // what is wrong, in one sentence without a full stop
  size_t line = 0;
};

// A kernel configuration. Option names are without CONFIG_.
struct KernelConfig {
  ConfigKind kind = ConfigKind::kFull;
  std::string kernel_version;  // "6.12.9", of the header line; else empty
  std::string arch;            // "x86_64", "i386", "arm64", "arm", "riscv64" ...; else empty
  std::map<std::string, ConfigSetting, std::less<>> settings;  // the last line of each option
  std::vector<ConfigRemark> duplicates;  // options set again; the last one holds
  std::vector<ConfigRemark> conflicts;   // several options of one choice are y
  std::vector<ConfigRemark> ignored;     // lines that set nothing, though they look like it

  // Null when the file does not mention the option.
  const ConfigSetting* find(std::string_view option) const;
  bool is_on(std::string_view option) const;  // y or m
};

// Reads what `make menuconfig`, `make savedefconfig` or a person wrote, as kconfig would: the
// last setting of an option holds, "CONFIG_X=n" is "# CONFIG_X is not set", a comment behind y,
// m or n does no harm, one behind "is not set" makes kconfig (6.11 and newer) pass over the
// line. Without `kind` it is told from the size of the file and from how it was made.
//
// A missing CONFIG_HZ is filled in from its choice (HZ_250).
//
// kBadData, with the line, for text that is no configuration: none of its lines sets an
// option, or more lines are neither settings nor comments than are settings.
Result<KernelConfig> parse_kernel_config(std::string_view text,
                                         std::optional<ConfigKind> kind = std::nullopt);

}  // namespace rtsweep
