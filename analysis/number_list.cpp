// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/number_list.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "runner/base/text.h"

namespace rtsweep {

std::optional<int64_t> parse_whole(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && !text.empty() ? std::optional(value) : std::nullopt;
}

std::optional<std::set<int>> parse_number_list(std::string_view text) {
  constexpr int64_t kLongestRange = 8192;
  std::set<int> numbers;
  if (text.empty()) return numbers;
  for (const std::string& part : split(text, ',')) {
    const size_t dash = std::min(part.find('-'), part.size());
    const auto first = parse_whole(std::string_view(part).substr(0, dash));
    const auto last = dash < part.size() ? parse_whole(part.substr(dash + 1)) : first;
    if (!first || !last || *first < 0 || *last > INT32_MAX || *last - *first >= kLongestRange) {
      return std::nullopt;
    }
    for (int64_t number = *first; number <= *last; ++number) {
      numbers.insert(static_cast<int>(number));
    }
  }
  return numbers;
}

std::optional<int64_t> parse_size(std::string_view text) {
  constexpr std::string_view kUnits = "KMGTP";
  if (text.empty()) return std::nullopt;
  const size_t unit = kUnits.find(static_cast<char>(std::toupper(text.back())));
  if (unit == std::string_view::npos) return parse_whole(text);
  const auto number = parse_whole(text.substr(0, text.size() - 1));
  const size_t shift = 10 * (unit + 1);
  if (!number || *number < 0 || *number > (INT64_MAX >> shift)) return std::nullopt;
  return *number << shift;
}

}  // namespace rtsweep
