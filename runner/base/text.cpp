// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/base/text.h"

#include <algorithm>
#include <charconv>

namespace rtsweep {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// Optimal string alignment distance.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_-./=:,+@%").find(c) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator, begin)) {
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  size_t begin = text.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos) {
    const size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    found.emplace_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBlanks, end);
  }
  return found;
}

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (&part != parts.data()) joined += separator;
    joined += part;
  }
  return joined;
}

std::string number_ranges(std::span<const int> numbers) {
  std::vector<std::string> parts;
  for (size_t first = 0; first < numbers.size();) {
    size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    parts.push_back(std::to_string(numbers[first]));
    if (last > first) parts.back() += "-" + std::to_string(numbers[last]);
    first = last + 1;
  }
  return join(parts, ",");
}

std::optional<int64_t> number_behind(std::string_view text, std::string_view words) {
  const size_t at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  int64_t number = 0;
  const char* begin = text.data() + at + words.size();
  const auto [end, failed] = std::from_chars(begin, text.data() + text.size(), number);
  if (failed != std::errc()) return std::nullopt;
  return number;
}

std::string shell_quote(std::span<const std::string> argv) {
  std::vector<std::string> quoted;
  for (const std::string& word : argv) {
    if (!word.empty() && std::ranges::all_of(word, is_plain)) {
      quoted.push_back(word);
      continue;
    }
    std::string safe = "'";
    for (const char c : word) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
    quoted.push_back(safe + "'");
  }
  return join(quoted, " ");
}

std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string> candidates) {
  std::optional<std::string> nearest;
  size_t least = 0;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance * 3 > std::max(word.size(), candidate.size())) continue;
    if (!nearest || distance < least) {
      nearest = candidate;
      least = distance;
    }
  }
  return nearest;
}

}  // namespace rtsweep
