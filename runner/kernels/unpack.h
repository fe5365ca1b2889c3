// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace rtsweep {

// Decompresses gzip, xz, lzma, zstd, lz4 or bzip2, found by its first bytes; what is
// not compressed comes back as it is. At most `limit` bytes of the result, so that a
// hostile file cannot fill the memory. kBadData when it is damaged before that.
Result<std::string> unpack(std::string_view data, size_t limit);

// The same of data with something else behind it, or cut off: as much as there is. The
// last hundreds of kilobytes may be missing, as the decoders hand out large pieces.
std::string unpack_start(std::string_view data, size_t limit);

}  // namespace rtsweep
