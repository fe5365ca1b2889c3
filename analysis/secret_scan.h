// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cctype>
#include <string_view>

// Steps of the scanners for secrets.
namespace rtsweep {

inline bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The characters from `at` that `wanted` takes.
template <typename Wanted>
std::string_view run_of(std::string_view data, size_t at, Wanted wanted) {
  size_t end = at;
  while (end < data.size() && wanted(data[end])) ++end;
  return data.substr(at, end - at);
}

inline bool begins_word(std::string_view data, size_t at) {
  return at == 0 || !is_word(data[at - 1]);
}
inline bool ends_word(std::string_view data, size_t end) {
  return end >= data.size() || !is_word(data[end]);
}

}  // namespace rtsweep
