// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/duration.h"

#include <fmt/format.h>

#include <charconv>

namespace rtsweep {
namespace {

struct Unit {
  char letter;
  int64_t seconds;
};

constexpr Unit kUnits[] = {{'h', 3600}, {'m', 60}, {'s', 1}};
constexpr int64_t kLongest = int64_t{366} * 24 * 3600;

Error not_a_duration(std::string_view why) {
  return {Errc::kInvalidPlan,
          fmt::format("{}; a duration is written \"10s\", \"5m\" or \"1h30m\"", why)};
}

// Takes the leading number off the text.
std::optional<int64_t> take_number(std::string_view& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || number > kLongest) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

}  // namespace

Result<std::chrono::seconds> parse_duration(std::string_view text) {
  if (text.empty()) return not_a_duration("it is empty");
  int64_t total = 0;
  const Unit* next = std::begin(kUnits);
  while (!text.empty()) {
    const auto number = take_number(text);
    if (!number) return not_a_duration("it needs a whole number of at most a year");
    if (text.empty()) return not_a_duration("it has no unit");
    while (next != std::end(kUnits) && next->letter != text.front()) ++next;
    if (next == std::end(kUnits)) {
      return not_a_duration("its units are h, m and s, in this order, each once");
    }
    total += *number * next->seconds;
    if (total > kLongest) return not_a_duration("it is longer than a year");
    ++next;
    text.remove_prefix(1);
  }
  return std::chrono::seconds(total);
}

std::string duration_text(std::chrono::seconds duration) {
  int64_t left = duration.count();
  std::string text;
  for (const Unit& unit : kUnits) {
    if (left >= unit.seconds) text += fmt::format("{}{}", left / unit.seconds, unit.letter);
    left %= unit.seconds;
  }
  return text.empty() ? "0s" : text;
}

}  // namespace rtsweep
