// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runner/base/command.h"
#include "runner/base/result.h"
#include "runner/kernels/archive.h"
#include "runner/kernels/cache.h"
#include "runner/kernels/kernels.h"
#include "runner/kernels/package_trim.h"

// A guest's userland is an initramfs, and that is a concatenation of layers: the
// packages that programs come from, the kernel's modules, and a few files of the
// trial. Each layer is an uncompressed cpio, byte for byte the same when it is made
// again from the same versions, so that virtual time repeats.

namespace rtsweep {

struct GuestLayer {
  std::filesystem::path file;
  std::string sha256;
};

struct PackageLayer {
  GuestLayer layer;
  std::vector<PackageId> packages;  // that it was made of, sorted
};

struct PackageLayerRequest {
  std::string arch;
  std::string suite = "bookworm";
  std::vector<std::string> packages;
  TrimRules trim;
};

// Debian packages of the guest's architecture with all that they depend on, unpacked
// without running anything of them, and trimmed. It has /bin, /sbin and /lib as links
// into /usr, the links that update-alternatives would make (awk, cc, ...), /bin/sh if
// there is a shell, empty mount points, and a /tmp. Kept in the cache: the same
// request gives the same layer, without network.
Result<PackageLayer> package_layer(const Cache& cache, CommandRunner& commands,
                                   const PackageLayerRequest& request);

struct ModuleLayer {
  GuestLayer layer;
  std::vector<std::string> modules;  // guest paths, in the order to insert them
};

// The named modules of a kernel and all that they need, decompressed. Built-in ones
// need nothing. Without modules the layer is an empty archive.
Result<ModuleLayer> module_layer(const Cache& cache, const Kernel& kernel,
                                 std::span<const std::string> names);

struct GuestFile {
  std::string path;            // in the guest: "/init"
  std::filesystem::path from;  // a file of the host; or, if empty,
  std::string content;         // this
  mode_t mode = 0644;
};

// A layer of single files, written to `file`.
Result<GuestLayer> file_layer(std::span<const GuestFile> files, const std::filesystem::path& file);

// One initrd of all layers, later files replacing earlier ones, written to `file`;
// the result has its SHA-256.
Result<GuestLayer> concatenate_layers(std::span<const GuestLayer> layers,
                                      const std::filesystem::path& file);

// A key that is the same for the same layers in the same order.
std::string layers_key(std::span<const GuestLayer> layers);

// SHA-256 of a file in a layer, such as "/usr/bin/cyclictest"; kNotSupported if the
// layer does not have it.
Result<std::string> sha256_in_layer(const GuestLayer& layer, std::string_view guest_path);

}  // namespace rtsweep
