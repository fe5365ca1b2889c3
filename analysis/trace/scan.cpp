// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/scan.h"

#include <algorithm>
#include <charconv>

namespace rtsweep {
namespace scan {
namespace {

constexpr size_t kMostDigits = 18;  // what an int64_t holds, whatever the digits

size_t digits(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && text[n] >= '0' && text[n] <= '9') ++n;
  return n;
}

int64_t value_of(std::string_view number) {
  int64_t value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return value;
}

// What stands behind a decimal point, as a number of `places` digits.
std::optional<int64_t> fraction(std::string_view& rest, size_t places) {
  const size_t n = digits(rest);
  if (n == 0 || n > 9) return std::nullopt;
  int64_t value = value_of(rest.substr(0, std::min(n, places)));
  for (size_t i = n; i < places; ++i) value *= 10;
  rest.remove_prefix(n);
  return value;
}

}  // namespace

void blanks(std::string_view& rest) {
  const size_t n = rest.find_first_not_of(" \t");
  rest.remove_prefix(n == std::string_view::npos ? rest.size() : n);
}

bool literal(std::string_view& rest, std::string_view text) {
  if (!rest.starts_with(text)) return false;
  rest.remove_prefix(text.size());
  return true;
}

std::optional<uint64_t> natural(std::string_view& rest) {
  const size_t n = digits(rest);
  if (n == 0 || n > kMostDigits) return std::nullopt;
  const auto value = static_cast<uint64_t>(value_of(rest.substr(0, n)));
  rest.remove_prefix(n);
  return value;
}

std::optional<int64_t> integer(std::string_view& rest) {
  std::string_view copy = rest;
  const bool negative = literal(copy, "-");
  const auto value = natural(copy);
  if (!value) return std::nullopt;
  rest = copy;
  return negative ? -static_cast<int64_t>(*value) : static_cast<int64_t>(*value);
}

std::string_view word(std::string_view& rest) {
  blanks(rest);
  const std::string_view found = rest.substr(0, rest.find_first_of(" \t"));
  rest.remove_prefix(found.size());
  return found;
}

std::optional<int64_t> seconds(std::string_view& rest) {
  std::string_view copy = rest;
  const auto whole = natural(copy);
  if (!whole || *whole > 9'000'000'000 || !literal(copy, ".")) return std::nullopt;
  const auto part = fraction(copy, 9);
  if (!part) return std::nullopt;
  rest = copy;
  return static_cast<int64_t>(*whole) * 1'000'000'000 + *part;
}

std::optional<int64_t> microseconds(std::string_view& rest) {
  std::string_view copy = rest;
  const auto whole = natural(copy);
  if (!whole || *whole > 9'000'000'000'000'000) return std::nullopt;
  int64_t part = 0;
  if (literal(copy, ".")) {
    const auto behind = fraction(copy, 3);
    if (!behind) return std::nullopt;
    part = *behind;
  }
  blanks(copy);
  if (!literal(copy, "us")) return std::nullopt;
  rest = copy;
  return static_cast<int64_t>(*whole) * 1'000 + part;
}

}  // namespace scan

std::string_view field(std::string_view text, std::string_view key) {
  for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
    const size_t value = at + key.size();
    if (!begins || value >= text.size() || text[value] != '=') continue;
    const std::string_view rest = text.substr(value + 1);
    return rest.substr(0, rest.find(' '));
  }
  return {};
}

std::optional<int64_t> number_field(std::string_view text, std::string_view key) {
  std::string_view value = field(text, key);
  return scan::integer(value);
}

}  // namespace rtsweep
