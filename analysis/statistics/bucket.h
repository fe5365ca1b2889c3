// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <vector>

namespace rtsweep::statistics {

// `count` values v with lower <= v < lower + width: the floor convention of cyclictest. The width
// belongs to the histogram.
struct Bucket {
  double lower = 0;
  uint64_t count = 0;

  bool operator==(const Bucket&) const = default;
};

// Ascending, each lower edge once. Buckets without values may be left out.
using Buckets = std::vector<Bucket>;

}  // namespace rtsweep::statistics
