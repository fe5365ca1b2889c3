// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runner/host/host_root.h"

namespace rtsweep {

struct KernelConfigFile {
  std::string file;  // where it was found: "/proc/config.gz"
  std::string text;
};

// The running kernel's .config: /proc/config.gz, else what distributions put beside the
// kernel or its modules. Nothing when there is none.
std::optional<KernelConfigFile> find_kernel_config(const HostRoot& host, std::string_view release);

// The content of a gzip file; nothing when it is none. At most 16 MiB.
std::optional<std::string> gunzip(std::string_view packed);

}  // namespace rtsweep
