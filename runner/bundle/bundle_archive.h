// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

// A file of a bundle: its path inside, with '/' between the parts, and its content.
struct BundleFile {
  std::string name;
  std::string content;

  bool operator==(const BundleFile&) const = default;
};

// A tar archive compressed with zstd. The same files give the same bytes on every machine
// and at any time: sorted by name, no owners, no times, mode 0644.
Result<std::string> pack_bundle(std::vector<BundleFile> files);

// What a bundle of somebody else may cost. A bundle that wants more is refused as soon as
// that is seen, before the memory is taken.
struct BundleLimits {
  size_t entries = 500;
  uint64_t file_bytes = uint64_t{192} << 20;
  uint64_t total_bytes = uint64_t{256} << 20;
  uint64_t ratio = 300;  // unpacked to packed, looked at past `ratio_from` bytes
  uint64_t ratio_from = uint64_t{8} << 20;
};

// Its files, in the archive's order. Whoever made it is taken for hostile: kBadData, naming
// the bundle and the entry, for anything that is not a plain file or directory (links,
// devices, pipes), for absolute paths, "..", characters that no bundle of ours has, two
// entries of one name, and past the limits. `name` is for the messages.
Result<std::vector<BundleFile>> unpack_bundle(std::string_view data, std::string_view name,
                                              const BundleLimits& limits = {});

// Whether the data begins as zstd does: a bundle, as opposed to a run directory's path.
bool looks_like_bundle(std::string_view data);

// Writes the files below a directory, which must be new or empty. No link that is there
// already is followed.
Result<void> write_bundle_files(std::span<const BundleFile> files,
                                const std::filesystem::path& directory);

}  // namespace rtsweep
