// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/base/bytes.h"

namespace rtsweep {

uint64_t number_at(std::string_view bytes, size_t offset, size_t size, bool big_endian) {
  if (offset > bytes.size() || size > bytes.size() - offset || size > 8) return 0;
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    const size_t at = offset + (big_endian ? i : size - 1 - i);
    value = value << 8 | static_cast<unsigned char>(bytes[at]);
  }
  return value;
}

}  // namespace rtsweep
