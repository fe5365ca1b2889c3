// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/words.h"

#include <fmt/format.h>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr size_t kShown = 60;

}  // namespace

std::string shown_word(std::string_view word) {
  std::string shown = "\"";
  for (const char c : word.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return shown + (word.size() > kShown ? "...\"" : "\"");
}

std::string unknown_word(std::string_view what, std::string_view word,
                         std::span<const std::string> right) {
  // A word of a page cannot be a slip of the pen, and the distance is quadratic.
  const auto near = word.size() <= kShown ? nearest_word(word, right) : std::nullopt;
  if (near)
    return fmt::format("unknown {} {}; did you mean \"{}\"?", what, shown_word(word), *near);
  return fmt::format("unknown {} {}; there are: {}", what, shown_word(word), join(right, ", "));
}

}  // namespace rtsweep
