// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/command.h"
#include "runner/base/result.h"

namespace rtsweep {

// An entry of kernel-configs/kernels.toml for one architecture: a kernel that a
// plan can name.
struct KernelEntry {
  std::string name;     // "6.1-rt"
  std::string arch;     // Debian's name: "amd64", "i386", "arm64", "armhf"
  std::string suite;    // where it is published: "bookworm", "trixie", ...
  std::string package;  // meta-package or image package: "linux-image-rt-arm64"
  bool rt = false;

  friend bool operator==(const KernelEntry&, const KernelEntry&) = default;
};

// A kernel that is on this machine's disk and can be booted.
struct Kernel {
  std::string name;
  std::string arch;
  std::string release;  // "6.1.0-50-rt-arm64"
  std::string package;  // name and version; empty when given by path
  std::filesystem::path image;
  std::filesystem::path modules;     // lib/modules/RELEASE with modules.dep; may be empty
  std::filesystem::path config;      // may be empty
  std::filesystem::path system_map;  // may be empty
  std::optional<bool> rt;            // by its own config
};

// The architectures that kernels and guests come in, by Debian's names.
std::span<const std::string> known_architectures();

// The architecture of the running program: "amd64", ...
std::string_view host_architecture();

// 64 or 32.
int kernel_bits(std::string_view arch);

// Reads a kernels.toml: the kernels in the file's order, each once for every
// architecture that has it. The error (kInvalidPlan) names file:line:column, the
// wrong word and the nearest right one.
Result<std::vector<KernelEntry>> parse_kernels(std::string_view text,
                                               const std::filesystem::path& file);

// The kernels.toml to use: $RTSWEEP_KERNELS, or the one installed with this
// program, or the source tree's. kNotSupported when there is none.
Result<std::filesystem::path> find_kernels_file();

// Finds and reads it.
Result<std::vector<KernelEntry>> read_kernels();

// The entry, or what there is instead (kInvalidPlan): the nearest name, or the
// architectures that have it.
Result<KernelEntry> find_kernel(std::span<const KernelEntry> entries, std::string_view name,
                                std::string_view arch);

}  // namespace rtsweep
