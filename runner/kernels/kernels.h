// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/command.h"
#include "runner/base/result.h"

namespace rtsweep {

// An entry of kernel-configs/kernels.toml for one architecture: a kernel that a
// plan can name.
struct KernelEntry {
  std::string name;      // "6.1-rt"
  std::string arch;      // Debian's name: "amd64", "i386", "arm64", "armhf"
  std::string suite;     // where it is published: "bookworm", "trixie", ...
  std::string package;   // meta-package or image package: "linux-image-rt-arm64"
  bool rt = false;
};

// A kernel that is on this machine's disk and can be booted.
struct Kernel {
  std::string name;
  std::string arch;
  std::string release;                  // "6.1.0-50-rt-arm64"
  std::string package;                  // name and version; empty when given by path
  std::filesystem::path image;
  std::filesystem::path modules;        // lib/modules/RELEASE with modules.dep; may be empty
  std::filesystem::path config;         // may be empty
  std::filesystem::path system_map;     // may be empty
  std::optional<bool> rt;               // by its own config
};

// 64 or 32.
int kernel_bits(std::string_view arch);

// Reads a kernels.toml; the error names file:line:column.
Result<std::vector<KernelEntry>> parse_kernels(std::string_view text,
                                               const std::filesystem::path& file);

}  // namespace rtsweep
